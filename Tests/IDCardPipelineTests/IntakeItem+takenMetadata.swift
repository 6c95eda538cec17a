import IDCardCore
import IDCardPipeline
import Testing

extension IntakeItem {
    /// What is known of an input that is to be taken in; a test about an input that is not fails here.
    var takenMetadata: CardMetadata {
        get throws {
            var taken: CardMetadata?
            if case .take(let metadata) = self.disposition { taken = metadata }
            return try #require(taken, "the input is not taken in")
        }
    }
}
