import Foundation
import IDCardServer

/// A token as `tokens list` shows it.
struct TokenLine: Hashable, Sendable, Encodable {
    let name: String
    let scopes: [String]
    let createdAt: String
    let expiresAt: String?

    enum CodingKeys: String, CodingKey {
        case name
        case scopes
        case createdAt = "created_at"
        case expiresAt = "expires_at"
    }

    init(_ record: TokenRecord) {
        self.name = record.name
        self.scopes = record.scopes.sorted().map(\.rawValue)
        self.createdAt = record.createdAt.formatted(.iso8601)
        self.expiresAt = record.expiresAt?.formatted(.iso8601)
    }

    /// One line for a person.
    var text: String {
        let end = self.expiresAt.map { "until \($0)" } ?? "until revoked"
        return "\(self.name)  \(self.scopes.joined(separator: ","))  since \(self.createdAt), \(end)"
    }
}
