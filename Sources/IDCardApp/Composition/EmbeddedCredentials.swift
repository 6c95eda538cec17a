import Foundation
import Glibc
import IDCardCore

/// The credentials between this process and its own embedded endpoints: made once for a sandbox, so that a delivery persisted by one run is still good in
/// the next.
struct EmbeddedCredentials: Codable {
    /// The verifier's API key.
    var apiKey: Redacted<String>
    /// The verifier's API secret.
    var apiSecret: Redacted<String>
    /// The backend's TOKEN.
    var token: Redacted<String>

    /// Reads the credentials beside a sandbox, or makes them (mode 0600).
    static func inFolder(_ folder: String) throws -> EmbeddedCredentials {
        let path = folder + "/embedded-credentials.json"
        if let data = FileManager.default.contents(atPath: path),
            let known = try? JSONDecoder().decode(EmbeddedCredentials.self, from: data)
        {
            return known
        }
        var random = SystemRandomNumberGenerator()
        let credentials = EmbeddedCredentials(
            apiKey: Redacted(UUIDText.version4(using: &random)),
            apiSecret: Redacted(UUIDText.version4(using: &random)),
            token: Redacted(UUIDText.version4(using: &random))
        )
        try credentials.write(to: path)
        return credentials
    }

    private func write(to path: String) throws {
        let data = try JSONEncoder().encode(self)
        let temporary = path + ".new"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw Self.failure() }
        defer { close(descriptor) }
        let count = data.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        guard count == data.count, fsync(descriptor) == 0, rename(temporary, path) == 0 else { throw Self.failure() }
    }

    private static func failure() -> CocoaError {
        CocoaError(.fileWriteUnknown, userInfo: [NSLocalizedDescriptionKey: String(cString: strerror(errno))])
    }
}
