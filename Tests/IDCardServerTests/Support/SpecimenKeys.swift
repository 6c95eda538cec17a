import Foundation
import NIOSSL
import Subprocess
import SystemPackage

@testable import IDCardServer

/// A certificate for `localhost` with its key, made at test time by the `openssl` command: worth nothing.
struct SpecimenKeys: Sendable {
    let certificate: String
    let key: String

    /// What a client needs to believe it, and nobody else.
    func trust() throws -> NIOSSLContext {
        var configuration = TLSConfiguration.makeClientConfiguration()
        let root = try NIOSSLCertificate(bytes: Array(self.certificate.utf8), format: .pem)
        configuration.trustRoots = .certificates([root])
        return try NIOSSLContext(configuration: configuration)
    }

    static func make(in folder: URL, _ name: String) async throws -> SpecimenKeys {
        let (certificate, key) = (folder.appending(path: "\(name).pem"), folder.appending(path: "\(name).key"))
        let result = try await run(
            .name("openssl"),
            arguments: [
                "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
                "-subj", "/CN=SPECIMEN \(name)", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout",
                key.path, "-out", certificate.path,
            ],
            output: .discarded,
            error: .discarded
        )
        guard result.terminationStatus.isSuccess else { throw RawConnection.Failure(text: "openssl failed") }
        return SpecimenKeys(
            certificate: try String(contentsOf: certificate, encoding: .utf8),
            key: try String(contentsOf: key, encoding: .utf8)
        )
    }
}

/// Where a server looks for its certificate.
struct CertificatePlace: Sendable {
    let files: TLSFiles

    /// Puts a certificate there, with its key or another one's.
    func install(_ keys: SpecimenKeys, keyOf other: SpecimenKeys? = nil) throws {
        try keys.certificate.write(toFile: self.files.certificate, atomically: true, encoding: .utf8)
        try (other ?? keys).key.write(toFile: self.files.key, atomically: true, encoding: .utf8)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: self.files.key)
    }
}

/// Makes two certificates and a place for them.
func withCertificates(_ body: (SpecimenKeys, SpecimenKeys, CertificatePlace) async throws -> Void) async throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "specimen-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let place = CertificatePlace(
        files: TLSFiles(
            certificate: folder.appending(path: "server.pem").path,
            key: folder.appending(path: "server.key").path
        )
    )
    try await body(.make(in: folder, "old"), .make(in: folder, "new"), place)
}
