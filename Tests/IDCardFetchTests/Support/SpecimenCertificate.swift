import Foundation
import IDCardTesting
import OutboundHTTP
import Subprocess
import SystemPackage

/// A certificate made at test time by the `openssl` command, which has issued itself: none is ever stored.
struct SpecimenCertificate: Sendable {
    /// The failure of the command.
    struct Failure: Error {
        var text: String
    }

    /// The server that shows it.
    let server: FaultTLS
    /// Trust in this certificate alone.
    let trust: TLSSettings

    /// Makes a certificate.
    ///
    /// - Parameter names: what it is made out to, such as `DNS:localhost,IP:127.0.0.1`.
    init(names: String) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "specimen-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // A temporary folder that cannot be removed is the system's to clean up.
        defer { try? FileManager.default.removeItem(at: folder) }
        let settings = "[req]\ndistinguished_name = names\n[names]\n"
        try settings.write(to: folder.appending(path: "req.cnf"), atomically: true, encoding: .utf8)
        let result = try await Subprocess.run(
            .name("openssl"),
            arguments: Arguments(
                ["req", "-x509", "-config", "req.cnf", "-subj", "/CN=SPECIMEN", "-nodes", "-days", "2"]
                    + ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-addext", "subjectAltName=\(names)"]
                    + ["-keyout", "key.pem", "-out", "certificate.pem"]
            ),
            workingDirectory: FilePath(folder.path),
            output: .discarded,
            error: .string(limit: 65_536)
        )
        guard result.terminationStatus.isSuccess else { throw Failure(text: result.standardError) }
        let certificate = try String(contentsOf: folder.appending(path: "certificate.pem"), encoding: .utf8)
        let key = try String(contentsOf: folder.appending(path: "key.pem"), encoding: .utf8)
        self.server = FaultTLS(certificates: certificate, privateKey: key)
        self.trust = try TLSSettings(trust: .certificates([.bytes(Data(certificate.utf8))]))
    }
}
