import Foundation
import Glibc
import IDCardCore
import IDCardPipeline
import IDCardTesting
import Synchronization
import Testing

@testable import IDCardFetch

/// The memory of a fetch does not grow with the image.
@Suite(.timeLimit(.minutes(Sanitizer.minutes(2))))
struct FlatMemoryTests {
    /// In a process of its own: what the other tests use, and the server with its image, is not counted.
    @Test("An image of 100 MB in ranges, kept slowly, grows the process by less than 24 MB", arguments: [1, 4])
    func large(ranges: Int) async throws {
        let host = SpecimenHost(Specimen.image(100_000_000))
        let small = SpecimenHost(Specimen.image(3_000_000))
        try await small.serve { smallPort in
            try await host.serve { port in
                await #expect(processExitsWith: .success) {
                    [port = port as Int, smallPort = smallPort as Int, ranges = ranges as Int] in
                    // Pools, threads and the code itself are in memory before it is measured.
                    _ = try await Self.fetch(port: smallPort, ranges: ranges) {}
                    let before = try Self.residentBytes()
                    let peak = Mutex(before)
                    let outcome = try await Self.fetch(port: port, ranges: ranges) {
                        // The server has time to send more than is asked for.
                        for _ in 0..<200 { await Task.yield() }
                        let now = (try? Self.residentBytes()) ?? .max
                        peak.withLock { $0 = max($0, now) }
                    }
                    guard case .complete = outcome else { throw FetchError(.invalidSetting, "\(outcome.words)") }
                    let growth = peak.withLock { $0 } - before
                    #expect(growth < 24 << 20 || Sanitizer.isPresent, "grew by \(growth) bytes")
                }
            }
        }
    }

    /// Fetches into a file of the system's, which goes with the process.
    private static func fetch(
        port: Int,
        ranges: Int,
        kept: @escaping @Sendable () async -> Void
    ) async throws -> ImageFetcher.Outcome {
        let file = try #require(tmpfile())
        let descriptor = fileno(file)
        var settings = try Specimen.settings(port: port)
        settings.parallelAbove = 8 << 20
        settings.parallelRanges = ranges
        settings.maximumBytes = 100_000_000
        let job = try await PieceBox().job(Specimen.url(port: port))
        let outcome = try await Specimen.fetcher(settings).imageFetcher.fetch(
            job,
            { bytes, offset, _ in
                _ = bytes.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, offset) }
                await kept()
            },
            { offset in
                var bytes = Data(count: 1 << 20)
                let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, offset) }
                return bytes.prefix(max(0, count))
            }
        )
        fclose(file)
        return outcome
    }

    /// The resident set of this process: the second field of `/proc/self/statm`, in pages.
    private static func residentBytes() throws -> Int {
        let text = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8)
        let fields = text.split(separator: " ")
        let pages = try #require(fields.count > 1 ? Int(fields[1]) : nil)
        return pages * 4096
    }
}
