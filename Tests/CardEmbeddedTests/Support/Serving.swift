import CardEmbedded
import Foundation
import Logging
import ServiceLifecycle
import TestSupport

/// A folder for one backend, removed with the value.
final class BackendFolder: Sendable {
    let url: URL

    /// In memory where there is such a file system: a backend waits for the disk at every start and upload.
    init() {
        let (memory, disk) = (URL(filePath: "/dev/shm"), FileManager.default.temporaryDirectory)
        let parent = FileManager.default.isWritableFile(atPath: memory.path) ? memory : disk
        self.url = parent.appending(path: "embedded-backend-\(UUID().uuidString)")
    }

    deinit { try? FileManager.default.removeItem(at: self.url) }

    func ledger() throws -> [LedgerEntry] { try self.lines("ledger.jsonl") }

    func refusals() throws -> [RefusalEntry] { try self.lines("refusals.jsonl") }

    private func lines<Entry: Decodable>(_ name: String) throws -> [Entry] {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let lines = try Data(contentsOf: self.url.appending(path: name)).split(separator: UInt8(ascii: "\n"))
        return try lines.map { try decoder.decode(Entry.self, from: $0) }
    }

    func documents() throws -> [String] {
        let folder = self.url.appending(path: "documents")
        return try FileManager.default.subpathsOfDirectory(atPath: folder.path)
            .filter { !folder.appending(path: $0).hasDirectoryPath }
            .filter { $0.contains("/") }
            .sorted()
    }

    /// The files whose content or path holds some bytes.
    func files(holding bytes: [UInt8]) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: self.url.path).filter { path in
            let content = try? Data(contentsOf: self.url.appending(path: path))
            return path.contains(String(decoding: bytes, as: UTF8.self)) || content?.range(of: Data(bytes)) != nil
        }
    }

    /// Writes an image that no line names, as a kill before the line leaves it.
    func plantImage(_ name: String, _ image: [UInt8] = HandWrittenForm.jpeg) throws {
        let file = self.url.appending(path: "documents").appending(path: name)
        let folder = file.deletingLastPathComponent()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try Data(image).write(to: file)
    }
}

let silent = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

func withBackend<Result: Sendable>(
    in folder: BackendFolder,
    logger: Logger = silent,
    configure: (inout EmbeddedBackend.Configuration) -> Void = { _ in },
    body: (EndpointClient) async throws -> Result
) async throws -> Result {
    var configuration = EmbeddedBackend.Configuration(folder: folder.url.path)
    configure(&configuration)
    return try await serving(body) { [configuration] announce in
        EmbeddedBackend(configuration: configuration, logger: logger, onRunning: announce)
    }
}

func withVerifier<Result: Sendable>(
    logger: Logger = silent,
    now: Date = Date(timeIntervalSince1970: 1_457_432_550),
    configure: (inout EmbeddedVerifier.Configuration) -> Void = { _ in },
    body: (EndpointClient) async throws -> Result
) async throws -> Result {
    var configuration = EmbeddedVerifier.Configuration(secrets: ["test-key": "test-secret"])
    configure(&configuration)
    return try await serving(body) { [configuration] announce in
        EmbeddedVerifier(configuration: configuration, logger: logger, now: { now }, onRunning: announce)
    }
}

/// Runs a service until `body` is done, then cancels it.
private func serving<Result: Sendable>(
    _ body: (EndpointClient) async throws -> Result,
    by service: (@escaping @Sendable (Int) async -> Void) -> any Service
) async throws -> Result {
    let (ports, continuation) = AsyncStream.makeStream(of: Int.self)
    let service = service { continuation.yield($0) }
    return try await withThrowingTaskGroup(of: Void.self) { group in
        group.addTask {
            defer { continuation.finish() }
            try await service.run()
        }
        guard let port = await ports.first(where: { _ in true }) else {
            try await group.waitForAll()
            throw CancellationError()
        }
        let result = try await body(EndpointClient(port: port))
        group.cancelAll()
        try await group.waitForAll()
        return result
    }
}
