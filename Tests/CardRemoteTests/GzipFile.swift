import Foundation

/// Bytes that the command `gzip` has compressed.
enum GzipFile {
    static func bytes(_ content: [UInt8]) async throws -> [UInt8] {
        let file = FileManager.default.temporaryDirectory.appending(path: "gzip-\(UUID().uuidString)")
        let packed = file.appendingPathExtension("gz")
        defer { for path in [file, packed] { try? FileManager.default.removeItem(at: path) } }
        try Data(content).write(to: file)
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["gzip", "-9", file.path]
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            process.terminationHandler = { _ in continuation.resume() }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        return Array(try Data(contentsOf: packed))
    }
}
