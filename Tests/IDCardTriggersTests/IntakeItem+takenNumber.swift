import IDCardCore
import IDCardPipeline
import Testing

extension IntakeItem {
    /// The business number of an input that is to be taken in; a test about an input that is not fails here.
    var takenNumber: BusinessNumber {
        get throws {
            guard case .take(let metadata) = self.disposition else {
                Issue.record("the input is not taken in: \(self.disposition)")
                throw CancellationError()
            }
            return metadata.businessNumber
        }
    }
}
