import Foundation
import IDCardTesting
import OutboundHTTP

/// A certificate authority that lives as long as a test, and a server certificate for this machine that it issued.
struct ThrowawayAuthority: Sendable {
    /// Its own certificate, to be trusted.
    let root: Data
    /// What its server shows.
    let server: FaultTLS

    /// Makes both.
    init(_ name: String) async throws {
        (self.root, self.server) = try await OpenSSLCommand.inFolder { folder in
            let fresh = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
            try "[req]\ndistinguished_name=n\n[n]\n".write(
                to: folder.appending(path: "req.cnf"),
                atomically: true,
                encoding: .utf8
            )
            try await OpenSSLCommand.run(
                ["req", "-x509", "-config", "req.cnf", "-subj", "/CN=SPECIMEN \(name)"] + fresh
                    + ["-addext", "basicConstraints=critical,CA:TRUE", "-keyout", "root.key", "-out", "root.pem"],
                in: folder
            )
            try await OpenSSLCommand.run(
                ["req", "-x509", "-config", "req.cnf", "-CA", "root.pem", "-CAkey", "root.key"] + fresh
                    + ["-subj", "/CN=SPECIMEN server", "-addext", "basicConstraints=critical,CA:FALSE"]
                    + ["-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
                    + ["-keyout", "server.key", "-out", "server.pem"],
                in: folder
            )
            func text(_ file: String) throws -> String {
                try String(contentsOf: folder.appending(path: file), encoding: .utf8)
            }
            return (
                Data(try text("root.pem").utf8),
                FaultTLS(certificates: try text("server.pem"), privateKey: try text("server.key"))
            )
        }
    }

    /// Trust in this authority alone.
    func trusted() throws -> TLSSettings {
        try TLSSettings(trust: .certificates([.bytes(self.root)]))
    }
}
