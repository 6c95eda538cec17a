import Foundation
import Subprocess
import SystemPackage

/// A certificate with its key, in PEM, and the files they lie in.
struct SpecimenCertificate: Sendable {
    /// The file of the certificate.
    var path: String
    /// The file of the key.
    var keyPath: String
    /// The certificate.
    var certificate: String
    /// The key.
    var key: String
}

/// Certificates made at test time by the `openssl` command: none is ever stored, and none is worth anything.
struct SpecimenAuthority: Sendable {
    /// The failure of the command.
    struct Failure: Error {
        var arguments: [String]
        var text: String
    }

    private let folder: URL
    /// The authority's own certificate.
    let root: SpecimenCertificate

    /// Makes an authority in a folder of its own.
    init(_ name: String) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "specimen-\(UUID().uuidString)")
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
        self.root = try await Self.selfSigned(
            in: folder,
            file: "root",
            name: "SPECIMEN \(name)",
            extensions: ["basicConstraints=critical,CA:TRUE"]
        )
    }

    /// Removes everything made.
    func remove() {
        try? FileManager.default.removeItem(at: self.folder)
    }

    /// Makes a certificate that has issued itself.
    ///
    /// - Parameters:
    ///   - file: the name of its files.
    ///   - names: what it is made out to, such as `DNS:localhost,IP:127.0.0.1`.
    func selfSigned(_ file: String, names: String) async throws -> SpecimenCertificate {
        let extensions = ["subjectAltName=\(names)", "basicConstraints=critical,CA:FALSE"]
        return try await Self.selfSigned(in: self.folder, file: file, name: "SPECIMEN \(file)", extensions: extensions)
    }

    /// Issues a certificate.
    ///
    /// - Parameters:
    ///   - file: the name of its files.
    ///   - subject: whom it speaks of; `nil` takes the name of the files.
    ///   - names: what it is made out to.
    ///   - years: the first and the last year in which it is valid.
    ///   - issuer: who issues it, a certificate of this authority; `nil` is the root.
    ///   - isIssuer: whether it may issue certificates itself.
    func issue(
        _ file: String,
        subject: String? = nil,
        names: String,
        years: ClosedRange<Int> = 2020...2090,
        by issuer: SpecimenCertificate? = nil,
        isIssuer: Bool = false
    ) async throws -> SpecimenCertificate {
        let issuer = issuer ?? self.root
        let extensions = "subjectAltName=\(names)\nbasicConstraints=CA:\(isIssuer ? "TRUE" : "FALSE")\n"
        try extensions.write(to: self.folder.appending(path: "\(file).ext"), atomically: true, encoding: .utf8)
        try await Self.run(
            ["req", "-new", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj"]
                + ["/CN=SPECIMEN \(subject ?? file)", "-keyout", "\(file).key", "-out", "\(file).csr"],
            in: self.folder
        )
        try await Self.run(
            ["ca", "-config", "ca.cnf", "-batch", "-notext", "-keyfile", issuer.keyPath, "-cert", issuer.path]
                + ["-startdate", Self.date(years.lowerBound, "0101"), "-enddate", Self.date(years.upperBound, "1231")]
                + ["-extfile", "\(file).ext", "-in", "\(file).csr", "-out", "\(file).pem"],
            in: self.folder
        )
        return try Self.read(file, in: self.folder)
    }

    /// Writes a file beside the certificates and returns its path.
    func write(_ text: String, to file: String) throws -> String {
        let url = self.folder.appending(path: file)
        try text.write(to: url, atomically: true, encoding: .utf8)
        return url.path
    }

    /// Puts a passphrase on a key and returns the path of the file.
    func encrypt(_ certificate: SpecimenCertificate) async throws -> String {
        try await Self.run(
            ["pkcs8", "-topk8", "-in", certificate.keyPath, "-passout", "pass:specimen", "-out", "encrypted.key"],
            in: self.folder
        )
        return self.folder.appending(path: "encrypted.key").path
    }

    private static func selfSigned(
        in folder: URL,
        file: String,
        name: String,
        extensions: [String]
    ) async throws -> SpecimenCertificate {
        try await self.run(
            ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "20000"]
                + ["-config", self.emptySettings(in: folder), "-subj", "/CN=\(name)"]
                + extensions.flatMap { ["-addext", $0] }
                + ["-keyout", "\(file).key", "-out", "\(file).pem"],
            in: folder
        )
        return try self.read(file, in: folder)
    }

    /// The system's settings would add `CA:TRUE` on their own.
    private static func emptySettings(in folder: URL) throws -> String {
        let url = folder.appending(path: "req.cnf")
        try "[req]\ndistinguished_name = names\n[names]\n".write(to: url, atomically: true, encoding: .utf8)
        return url.path
    }

    private static func date(_ year: Int, _ day: String) -> String { "\(year)\(day)000000Z" }

    private static func read(_ file: String, in folder: URL) throws -> SpecimenCertificate {
        let path = folder.appending(path: "\(file).pem")
        let keyPath = folder.appending(path: "\(file).key")
        return SpecimenCertificate(
            path: path.path,
            keyPath: keyPath.path,
            certificate: try String(contentsOf: path, encoding: .utf8),
            key: try String(contentsOf: keyPath, encoding: .utf8)
        )
    }

    private static func run(_ arguments: [String], in folder: URL) async throws {
        let result = try await Subprocess.run(
            .name("openssl"),
            arguments: Arguments(arguments),
            workingDirectory: FilePath(folder.path),
            output: .discarded,
            error: .string(limit: 65_536)
        )
        guard result.terminationStatus.isSuccess else {
            throw Failure(arguments: arguments, text: result.standardError)
        }
    }
}

/// Runs a test with an authority whose files are removed afterwards.
func withAuthority(_ name: String = "CA", run: (SpecimenAuthority) async throws -> Void) async throws {
    let authority = try await SpecimenAuthority(name)
    defer { authority.remove() }
    try await run(authority)
}
