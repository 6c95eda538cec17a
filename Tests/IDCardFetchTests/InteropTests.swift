import Foundation
import IDCardCore
import IDCardPipeline
import IDCardTesting
import Subprocess
import SystemPackage
import Testing

@testable import IDCardFetch

/// Web servers of other people's making, each with its own idea of ranges: aiohttp and tornado, for one, do not look at
/// an entity tag in `If-Range`, and send a part of whatever there is now.
@Suite(.timeLimit(.minutes(Sanitizer.minutes(3))))
struct InteropTests {
    private static let image = Specimen.image(3_200_001)
    private static let servers = ["aiohttp", "tornado", "werkzeug"]

    /// What keeps a test from running; never a reason to skip it.
    private struct Failure: Error {
        var description: String
    }

    /// Serves a folder with one image, and ends the server when the test is done.
    private func serving(
        _ server: String,
        _ body: (_ image: URL, _ url: String, _ fetcher: URLImageFetcher) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "ranges-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // A temporary folder that cannot be removed is the system's to clean up.
        defer { try? FileManager.default.removeItem(at: folder) }
        let image = folder.appending(path: "a.jpg")
        try Data(Self.image).write(to: image)
        let root = URL(filePath: #filePath).resolvingSymlinksInPath()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let python = root.appending(path: ".venv/bin/python3").path
        guard FileManager.default.isExecutableFile(atPath: python) else {
            throw Failure(description: "The Python environment .venv is missing: run scripts/setup.")
        }
        _ = try await Subprocess.run(
            .path(FilePath(python)),
            arguments: [root.appending(path: "scripts/interop/range_servers.py").path, server, folder.path],
            input: .none,
            output: .sequence,
            error: .discarded
        ) { execution in
            var lines = execution.standardOutput.strings().makeAsyncIterator()
            let line = try #require(try await lines.next()).trimmingCharacters(in: .whitespacesAndNewlines)
            let port = try #require(Int(line))
            let result: Result<Void, any Error>
            do {
                let fetcher = try Specimen.fetcher(Specimen.settings(port: port))
                result = .success(try await body(image, "http://\(Specimen.host):\(port)/a.jpg", fetcher))
            } catch {
                result = .failure(error)
            }
            try execution.send(signal: .kill)
            while try await lines.next() != nil {}
            try result.get()
        }
    }

    @Test("An image comes in ranges", arguments: servers)
    func ranges(server: String) async throws {
        try await self.serving(server) { _, url, fetcher in
            let box = PieceBox()
            let outcome = try await box.fetch(url, with: fetcher)
            #expect(outcome.isComplete(with: Self.image))
            #expect(await box.joined == Self.image)
            #expect(await box.version?.ifRange?.hasPrefix("\"") == true)
        }
    }

    @Test("What is there is not asked for again", arguments: servers)
    func resumed(server: String) async throws {
        try await self.serving(server) { _, url, fetcher in
            let box = PieceBox()
            await box.fill(after: 2)
            await #expect(throws: PieceBox.Full()) { try await box.fetch(url, with: fetcher) }
            let there = await box.count
            #expect(there > 0)
            await box.fill(after: .max)
            let outcome = try await box.fetch(url, with: fetcher)
            #expect(outcome.isComplete(with: Self.image))
            #expect(await box.joined == Self.image)
            #expect(await box.bytesKept == Self.image.count)
        }
    }

    @Test("An image that is replaced meanwhile begins anew", arguments: servers)
    func replaced(server: String) async throws {
        let other = Specimen.image(2_700_000, seed: 5)
        try await self.serving(server) { image, url, fetcher in
            let box = PieceBox()
            await box.fill(after: 2)
            await #expect(throws: PieceBox.Full()) { try await box.fetch(url, with: fetcher) }
            await box.fill(after: .max)
            try Data(other).write(to: image)
            let outcome = try await box.fetch(url, with: fetcher)
            #expect(outcome.isComplete(with: other))
            #expect(await box.joined == other)
        }
    }
}
