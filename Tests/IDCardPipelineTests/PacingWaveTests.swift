import IDCardCore
import Testing

@testable import IDCardPipeline

/// How the limit of a stage grows while pieces are claimed in waves: claimed together, concluded together.
@Suite("The learned concurrency, in waves")
struct PacingWaveTests {
    private let now = Timestamp(millisecondsSinceEpoch: 1_800_000_000_000)

    /// Claims what is admitted of what there is, as a loop does, lets all of it be answered, and returns how many there
    /// were in each wave.
    private func waves(_ count: Int, backlog: Int, maximum: Int) -> [Int] {
        var pace = StagePace(StagePacing(concurrency: maximum))
        return (0..<count).map { _ in
            var claimed = 0
            while case .free(let places) = pace.admission(claimed: claimed, isProbing: false, at: self.now) {
                let jobs = min(places, backlog - claimed)
                claimed += jobs
                if jobs == places { continue }
                pace.ranDry()
                break
            }
            let calls = (0..<claimed).compactMap { index -> PacedCall? in
                let permit = pace.begin("card-\(index)", isRetry: false, isProbing: false, at: self.now)
                return if case .call(let call) = permit { call } else { nil }
            }
            for call in calls { _ = pace.ended(call, as: nil, at: self.now) }
            return calls.count
        }
    }

    @Test("It doubles from wave to wave up to the configured concurrency")
    func doubles() {
        #expect(self.waves(7, backlog: 1000, maximum: 32) == [1, 2, 4, 8, 16, 32, 32])
        #expect(self.waves(4, backlog: 1000, maximum: 3) == [1, 2, 3, 3])
    }

    @Test("It does not grow beyond what there is to do")
    func idle() {
        #expect(self.waves(6, backlog: 3, maximum: 32) == [1, 2, 3, 3, 3, 3])
    }
}
