import Foundation
import Glibc
import IDCardCore

/// The credentials between this process and its own embedded endpoints: made once for a sandbox, so that a delivery
/// persisted by one run is still good in the next.
struct EmbeddedCredentials: Codable, Equatable {
    /// The verifier's API key.
    var apiKey: Redacted<String>
    /// The verifier's API secret.
    var apiSecret: Redacted<String>
    /// The backend's TOKEN.
    var token: Redacted<String>

    /// Reads the credentials beside a sandbox, or makes them (mode 0600); of several processes that make them at once,
    /// the first one's count for all.
    ///
    /// - Throws: ``EmbeddedCredentialsError`` if there are credentials that cannot be read, or none can be written. New
    ///   ones in their place would not do: the TOKEN in deliveries already persisted would be refused.
    static func inFolder(_ folder: String) throws(EmbeddedCredentialsError) -> EmbeddedCredentials {
        let file = EmbeddedCredentialsFile(folder: folder)
        if let known = try file.read() { return known }
        try file.create(.random())
        guard let known = try file.read() else { throw file.unreadable("vanished while it was read") }
        return known
    }

    private static func random() -> EmbeddedCredentials {
        // Boxed: a type without storage has no address, which the thread sanitizer would follow all the same.
        var random: any RandomNumberGenerator = SystemRandomNumberGenerator()
        return EmbeddedCredentials(
            apiKey: Redacted(UUIDText.version4(using: &random)),
            apiSecret: Redacted(UUIDText.version4(using: &random)),
            token: Redacted(UUIDText.version4(using: &random))
        )
    }
}
