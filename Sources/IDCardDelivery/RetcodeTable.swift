/// What the backend's RETCODE values mean (`delivery.retcode.*`); a code in no list is a refusal, too, but several equal
/// ones in a row stop the stage.
///
/// By default only the three usual spellings of success are known. What means "already there" or "TOKEN expired"
/// differs from backend to backend: a wrong guess would lose a document or send it again, so these lists begin empty.
package struct RetcodeTable: Hashable, Sendable, Codable {
    /// The class of a code.
    enum Meaning: Hashable, Sendable {
        case success
        case alreadyExists
        case tokenExpired
        case retryable
        case refusal
        case unlisted
    }

    /// The backend took the document.
    package var success: Set<String>
    /// The backend held it before: success.
    package var alreadyExists: Set<String>
    /// The backend refused the TOKEN; nothing was applied.
    package var tokenExpired: Set<String>
    /// "Not now": the same delivery is sent again, under the same key.
    package var retryable: Set<String>
    /// The backend refused the document, which never concerns others.
    package var rejected: Set<String>

    /// Takes the lists; the code of a reply is compared as text, so a number 0 is `"0"`.
    package init(
        success: Set<String> = ["000000", "0000", "0"],
        alreadyExists: Set<String> = [],
        tokenExpired: Set<String> = [],
        retryable: Set<String> = [],
        rejected: Set<String> = []
    ) {
        self.success = success
        self.alreadyExists = alreadyExists
        self.tokenExpired = tokenExpired
        self.retryable = retryable
        self.rejected = rejected
    }

    /// Returns the first spelling of a code that a list holds; else the last.
    func listedSpelling(of spellings: [String]) -> String {
        spellings.first { self.meaning(of: $0) != .unlisted } ?? spellings.last ?? ""
    }

    /// Returns what a code means; the first list that holds it counts, in the order of the properties.
    func meaning(of code: String) -> Meaning {
        if self.success.contains(code) { return .success }
        if self.alreadyExists.contains(code) { return .alreadyExists }
        if self.tokenExpired.contains(code) { return .tokenExpired }
        if self.retryable.contains(code) { return .retryable }
        if self.rejected.contains(code) { return .refusal }
        return .unlisted
    }
}
