/// The meanings of the backend's RETCODE values (`delivery.retcode.*`).
///
/// By default only the three usual spellings of success are known. The codes for "already there" and "TOKEN expired"
/// differ from backend to backend, and a wrong guess would lose a document or send it again: their lists are empty by
/// default. Codes are compared as texts, so the number 0 is `"0"`.
package struct RetcodeTable: Hashable, Sendable {
    /// What to do with a card whose code is in no list (`delivery.retcode.unlisted`).
    package enum Unlisted: String, CaseIterable, Sendable, Codable {
        /// A person decides.
        case hold = "hold"
        /// The card is rejected; for backends with many codes.
        case reject = "reject"
    }

    package enum Meaning: String, CaseIterable, Sendable {
        case success = "success"
        case alreadyExists = "already_exists"
        case tokenExpired = "token_expired"
        case retryable = "retryable"
        case refusal = "rejected"
        case unlisted = "unlisted"

        /// Whether the backend holds the document.
        package var isStored: Bool { self == .success || self == .alreadyExists }

        package var key: String { "delivery.retcode.\(self.rawValue)" }
    }

    /// The backend accepted the document. The list may also have statuses of answers without a body: `http_204`.
    package var success: Set<String> = ["000000", "0000", "0"]
    /// The backend already held the document, which is a success.
    package var alreadyExists: Set<String> = []
    /// The backend refused the TOKEN; nothing was applied. The list may also have statuses: `http_403`.
    package var tokenExpired: Set<String> = []
    /// "Not now": the same delivery is sent again, under the same key.
    package var retryable: Set<String> = []
    package var rejected: Set<String> = []
    package var unlisted = Unlisted.hold

    package init() {}

    /// Returns the first spelling of a code that a list has; the last spelling if no list has one.
    package func listedSpelling(of spellings: [String]) -> String {
        spellings.first { self.meaning(of: $0) != .unlisted } ?? spellings.last ?? ""
    }

    /// The lists in the order of their precedence.
    package var lists: [(meaning: Meaning, codes: Set<String>)] {
        [
            (.success, self.success), (.alreadyExists, self.alreadyExists), (.tokenExpired, self.tokenExpired),
            (.retryable, self.retryable), (.refusal, self.rejected),
        ]
    }

    /// Returns the meaning of a code, which is that of the first list with the code.
    package func meaning(of code: String) -> Meaning {
        self.lists.first { $0.codes.contains(code) }?.meaning ?? .unlisted
    }
}
