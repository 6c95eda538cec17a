import Foundation
import IDCardCore

extension PipelineTime {
    /// The machine's own clock.
    package static let system = PipelineTime(
        now: { Timestamp(Date()) },
        sleep: { until in
            let rest = until.duration(since: Timestamp(Date()))
            if rest > .zero { try await Task.sleep(for: rest) }
        },
        steady: { .now }
    )
}
