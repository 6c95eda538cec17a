package import Foundation

/// What is kept of a token: never the token.
package struct TokenRecord: Hashable, Sendable, Codable {
    /// What it is called, in logs and in the access log: who uses it, such as `branch-office`.
    package var name: String
    /// What it may do.
    package var scopes: Set<TokenScope>
    /// When it was made.
    package var createdAt: Date
    /// When it stops working; `nil` for never.
    package var expiresAt: Date?
    /// The SHA-256 of the token, 32 bytes.
    var digest: Data

    /// Whether it works at a time.
    package func isValid(at time: Date) -> Bool { self.expiresAt.map { time < $0 } ?? true }

    /// The longest name, in characters.
    package static let maximumNameLength = 64

    /// Whether a text can be the name of a token: letters, digits and `._-`, at most 64.
    package static func isName(_ text: String) -> Bool {
        let isAllowed = { (byte: UInt8) in
            UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
                || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || "._-".utf8.contains(byte)
        }
        return 1...self.maximumNameLength ~= text.utf8.count && text.utf8.allSatisfy(isAllowed)
    }
}

extension TokenRecord {
    enum CodingKeys: String, CodingKey {
        case name
        case scopes
        case createdAt = "created"
        case expiresAt = "expires"
        case digest = "sha256"
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.name = try container.decode(String.self, forKey: .name)
        self.scopes = try container.decode(Set<TokenScope>.self, forKey: .scopes)
        self.createdAt = try container.decode(Date.self, forKey: .createdAt)
        self.expiresAt = try container.decodeIfPresent(Date.self, forKey: .expiresAt)
        self.digest = try container.decode(Data.self, forKey: .digest)
        guard Self.isName(self.name), self.digest.count == 32 else {
            throw DecodingError.dataCorruptedError(
                forKey: .name,
                in: container,
                debugDescription: "a token has a name of letters, digits and ._-, and a digest of 32 bytes"
            )
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(self.name, forKey: .name)
        try container.encode(self.scopes.sorted(), forKey: .scopes)
        try container.encode(self.createdAt, forKey: .createdAt)
        try container.encodeIfPresent(self.expiresAt, forKey: .expiresAt)
        try container.encode(self.digest, forKey: .digest)
    }
}
