import CardModel
import Foundation
import TestSupport
import Testing

@testable import CardStore

/// Which of two photos of one side is newer.
@Suite struct PhotoOrderTests {
    @Test func `the query says which of two photos is newer as the rule does`() async throws {
        let harness = try await StoreHarness()
        let times: [Int64?] = [nil, 1_000_000, 1_002_000, 1_002_001, 1_005_000]
        let ages = times.indices.flatMap { index in
            [1, 2].map { PhotoAge(order: $0, taken: times[index].map(Timestamp.init(millisecondsSinceEpoch:))) }
        }
        for one in ages {
            for other in ages {
                let isNewer = PhotoAge.isNewer(
                    ("\(one.order)", "\(one.taken)"),
                    than: ("\(other.order)", "\(other.taken)")
                )
                let answer: Bool? = try await harness.value("SELECT \(isNewer)")
                #expect(answer == one.isNewer(than: other), "\(one) \(other)")
            }
        }
    }
}
