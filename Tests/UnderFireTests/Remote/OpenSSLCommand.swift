import Foundation

/// The `openssl` command: makes certificates and ciphertext at test time, so that none is ever stored.
enum OpenSSLCommand {
    /// The command failed.
    struct Failure: Error {
        var arguments: [String]
        var status: Int32
    }

    /// Runs it to its end.
    ///
    /// - Parameters:
    ///   - arguments: its arguments.
    ///   - folder: where it runs.
    static func run(_ arguments: [String], in folder: URL) async throws {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = ["openssl"] + arguments
        process.currentDirectoryURL = folder
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        let status: Int32 = try await withCheckedThrowingContinuation { continuation in
            process.terminationHandler = { continuation.resume(returning: $0.terminationStatus) }
            do { try process.run() } catch { continuation.resume(throwing: error) }
        }
        guard status == 0 else { throw Failure(arguments: arguments, status: status) }
    }

    /// Runs a test with a folder of its own.
    static func inFolder<Value>(_ body: (URL) async throws -> Value) async throws -> Value {
        let folder = FileManager.default.temporaryDirectory.appending(path: "under-fire-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // A temporary folder that cannot be removed is the system's to clean up.
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await body(folder)
    }

    /// Encrypts as a business backend does, and returns Base64.
    ///
    /// - Parameters:
    ///   - mode: `des-ede3-cbc` or `des-ede3-ecb`.
    ///   - key: 24 bytes.
    ///   - vector: 8 bytes.
    static func sealed(_ text: String, mode: String, key: String, vector: String) async throws -> String {
        try await self.inFolder { folder in
            try text.write(to: folder.appending(path: "plain"), atomically: true, encoding: .utf8)
            let hexVector = mode.hasSuffix("cbc") ? ["-iv", self.hexadecimal(vector)] : []
            try await self.run(
                ["enc", "-\(mode)", "-K", self.hexadecimal(key)] + hexVector
                    + ["-a", "-A", "-in", "plain", "-out", "sealed"],
                in: folder
            )
            return try String(contentsOf: folder.appending(path: "sealed"), encoding: .utf8)
        }
    }

    private static func hexadecimal(_ text: String) -> String {
        text.utf8.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }
}
