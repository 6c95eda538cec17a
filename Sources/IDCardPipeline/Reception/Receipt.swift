package import IDCardCore

/// What a sender said so that a repetition of its request is known as one; kept with the card it led to.
package struct Receipt: Hashable, Sendable {
    /// Whose names these are: one sender's names never meet another's.
    package enum Scope: Hashable, Sendable {
        /// `Idempotency-Key` of a caller (draft-ietf-httpapi-idempotency-key-header-07), by the name of its token.
        case idempotencyKey(caller: String)
        /// `webhook-id` (Standard Webhooks 1.0).
        case webhook
    }

    /// Whose name it is.
    package var scope: Scope
    /// The name.
    package var name: String
    /// The digest of all that the request says: another one under the same name is refused.
    package var request: ContentDigest

    /// Describes a receipt.
    package init(scope: Scope, name: String, request: ContentDigest) {
        self.scope = scope
        self.name = name
        self.request = request
    }
}
