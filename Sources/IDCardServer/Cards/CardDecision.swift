import Foundation
import IDCardPipeline

/// The body of `retry` and `resolve`: `{"as": …, "why": …}`; of `retry` it may be missing.
struct CardDecision {
    /// What is decided.
    var resolution: Resolution?
    /// Why, for the access log.
    var why: String?

    /// Reads a body.
    ///
    /// - Parameter needsAs: whether `as` has to be there; if not, it must not.
    /// - Throws: ``Problem``: `media_type_unsupported`, `json_invalid`, `field_unknown`.
    static func parse(_ body: Data, contentType: String?, needsAs: Bool) throws -> CardDecision {
        if body.isEmpty, !needsAs { return CardDecision() }
        let texts = try JSONTexts.parse(body, contentType: contentType, known: needsAs ? ["as", "why"] : ["why"])
        guard needsAs else { return CardDecision(why: texts["why"]) }
        guard let resolution = texts["as"].flatMap(Resolution.init(rawValue:)) else {
            let known = Resolution.allCases.map(\.rawValue).joined(separator: ", ")
            throw Problem(.fieldInvalid, "as is one of \(known).")
        }
        return CardDecision(resolution: resolution, why: texts["why"])
    }
}
