import Crypto
import Foundation

/// The secret that a caller presents; shown once, when it is made, and kept nowhere here.
package struct AccessToken: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// What tokens begin with, so that a scanner for leaked secrets can find them.
    package static let prefix = "idcp_"

    private let text: String

    /// Takes what a caller presented; any text may be wrong.
    init(presented text: String) {
        self.text = text
    }

    /// Makes a token of 256 random bits.
    package static func generate(using random: inout some RandomNumberGenerator) -> AccessToken {
        let bytes = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        let base64 = Data(bytes).base64EncodedString()
        let safe = base64.map { $0 == "+" ? "-" : $0 == "/" ? "_" : $0 }.filter { $0 != "=" }
        return AccessToken(presented: self.prefix + String(safe))
    }

    /// Returns the token itself, for the one moment in which it is handed over.
    package func reveal() -> String { self.text }

    /// Its SHA-256: of 256 random bits nothing slower is needed, as there is nothing to guess.
    var digest: Data { Data(SHA256.hash(data: Data(self.text.utf8))) }

    package var description: String { "<redacted>" }
    package var debugDescription: String { "<redacted>" }
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
