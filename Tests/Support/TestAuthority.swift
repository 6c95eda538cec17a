import Foundation

/// A certificate with its key, in PEM, and the files they lie in.
package struct TestCertificate: Sendable {
    package var path: String
    package var keyPath: String
    package var certificate: String
    package var key: String
}

/// Certificates made at test time by the `openssl` command: none is ever stored, and none is worth anything.
package struct TestAuthority: Sendable {
    struct Failure: Error {
        let arguments: [String]
        let status: Int32
    }

    private let folder: URL
    package let root: TestCertificate

    package init(_ name: String) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "authority-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        self.folder = folder
        let settings = """
            [ca]
            default_ca = specimen
            [specimen]
            database = index.txt
            new_certs_dir = .
            serial = serial
            default_md = sha256
            policy = names
            unique_subject = no
            [names]
            commonName = supplied
            """
        try settings.write(to: folder.appending(path: "ca.cnf"), atomically: true, encoding: .utf8)
        try "".write(to: folder.appending(path: "index.txt"), atomically: true, encoding: .utf8)
        try "01".write(to: folder.appending(path: "serial"), atomically: true, encoding: .utf8)
        // The system's settings would add `CA:TRUE` on their own.
        let empty = "[req]\ndistinguished_name = names\n[names]\n"
        try empty.write(to: folder.appending(path: "req.cnf"), atomically: true, encoding: .utf8)
        self.root = try await Self.selfSigned(
            in: folder,
            file: "root",
            name: name,
            extensions: ["basicConstraints=critical,CA:TRUE"]
        )
    }

    package func remove() {
        // A temporary folder that cannot be removed is the system's to clean up.
        try? FileManager.default.removeItem(at: self.folder)
    }

    /// Makes a certificate that has issued itself, made out to names such as `DNS:localhost,IP:127.0.0.1`.
    package func selfSigned(_ file: String, names: String) async throws -> TestCertificate {
        let extensions = ["subjectAltName=\(names)", "basicConstraints=critical,CA:FALSE"]
        return try await Self.selfSigned(in: self.folder, file: file, name: file, extensions: extensions)
    }

    /// Issues a certificate made out to names, valid in some years.
    package func issue(
        _ file: String,
        names: String,
        years: ClosedRange<Int> = 2020...2090
    ) async throws -> TestCertificate {
        let extensions = "subjectAltName=\(names)\nbasicConstraints=CA:FALSE\n"
        try extensions.write(to: self.folder.appending(path: "\(file).ext"), atomically: true, encoding: .utf8)
        try await Self.run(
            ["req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj"]
                + ["/CN=SPECIMEN \(file)", "-keyout", "\(file).key", "-out", "\(file).csr"],
            in: self.folder
        )
        try await Self.run(
            ["ca", "-config", "ca.cnf", "-batch", "-notext", "-keyfile", "root.key", "-cert", "root.pem"]
                + ["-startdate", "\(years.lowerBound)0101000000Z", "-enddate", "\(years.upperBound)1231000000Z"]
                + ["-extfile", "\(file).ext", "-in", "\(file).csr", "-out", "\(file).pem"],
            in: self.folder
        )
        return try Self.read(file, in: self.folder)
    }

    /// Writes a file beside the certificates and returns its path.
    package func write(_ text: String, to file: String) throws -> String {
        let url = self.folder.appending(path: file)
        try text.write(to: url, atomically: true, encoding: .utf8)
        return url.path
    }

    private static func selfSigned(
        in folder: URL,
        file: String,
        name: String,
        extensions: [String]
    ) async throws -> TestCertificate {
        try await self.run(
            ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "20000"]
                + ["-config", "req.cnf", "-subj", "/CN=SPECIMEN \(name)"]
                + extensions.flatMap { ["-addext", $0] }
                + ["-keyout", "\(file).key", "-out", "\(file).pem"],
            in: folder
        )
        return try self.read(file, in: folder)
    }

    private static func read(_ file: String, in folder: URL) throws -> TestCertificate {
        let path = folder.appending(path: "\(file).pem")
        let keyPath = folder.appending(path: "\(file).key")
        return TestCertificate(
            path: path.path,
            keyPath: keyPath.path,
            certificate: try String(contentsOf: path, encoding: .utf8),
            key: try String(contentsOf: keyPath, encoding: .utf8)
        )
    }

    private static func run(_ arguments: [String], in folder: URL) async throws {
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
}

/// Runs a test with an authority whose files are removed afterwards.
package func withAuthority(_ name: String = "CA", run: (TestAuthority) async throws -> Void) async throws {
    let authority = try await TestAuthority(name)
    defer { authority.remove() }
    try await run(authority)
}
