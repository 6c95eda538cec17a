import Foundation
import IDCardPipeline

extension FetchedVersion {
    /// What stands before the word for an answer without validator: no entity tag and no date begins so.
    private static let unvalidatedPrefix = "unvalidated "

    /// Names what an answer is a version of.
    ///
    /// - Parameters:
    ///   - facts: the head of the answer.
    ///   - byteCount: how many bytes there are in all, if it says so.
    init(_ facts: ResponseFacts, byteCount: Int?) {
        self.init(validator: facts.validator ?? Self.unvalidatedPrefix + UUID().uuidString, byteCount: byteCount)
    }

    /// The value for `If-Range`; `nil` if nothing can be resumed.
    var ifRange: String? {
        self.validator.flatMap { $0.hasPrefix(Self.unvalidatedPrefix) ? nil : $0 }
    }

    /// Whether an answer speaks of the same bytes, by its validator and, as far as both are known, its length.
    func isSame(as other: FetchedVersion) -> Bool {
        self.validator != nil && self.joined(with: other) != nil
    }

    /// Whether a part that was asked for under this version's validator can be one of it.
    ///
    /// A server that has no more than the range to say need not repeat the validator; one that names another one has
    /// changed its mind.
    func admits(_ facts: ResponseFacts, total: Int) -> Bool {
        guard self.byteCount ?? total == total else { return false }
        if let tag = facts.entityTag { return tag == self.validator }
        return facts.validator.map { $0 == self.validator } ?? true
    }
}
