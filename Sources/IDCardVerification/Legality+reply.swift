import IDCardCore
import OutboundHTTP

extension Legality {
    /// Reads the scores of a reply, which all dialects spell in their own way; `nil` if they are unavailable.
    ///
    /// The vendor announces further classes, so every key counts, that of FaceID v3's threshold included, which is told
    /// apart by its name. What is no number from 0 to 1 is no score.
    init?(reply value: JSONValue) {
        guard let members = value.object else { return nil }
        self.init(vendorScores: members.compactMapValues(\.double).filter { (0...1).contains($0.value) })
    }
}
