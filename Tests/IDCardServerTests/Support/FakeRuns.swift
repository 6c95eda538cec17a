import Foundation
import IDCardCore
import IDCardPipeline
import Synchronization

/// Runs over one source, `inbox`, none of which ends.
final class FakeRuns: SourceRuns {
    private let started = Mutex<[String: SourceRun]>([:])

    /// The name of its source.
    static let source = "inbox"

    func start(_ source: String) async throws -> SourceRun? {
        guard source == Self.source else { return nil }
        return self.started.withLock { runs in
            if let run = runs.values.first(where: { $0.source == source }) { return run }
            let run = SourceRun(
                id: "run-\(runs.count + 1)",
                source: source,
                counts: ["admitted": 3, "refused": 2],
                refusals: ["source_unreadable": 2],
                startedAt: Timestamp(millisecondsSinceEpoch: 1_760_000_000_000)
            )
            runs[run.id] = run
            return run
        }
    }

    func run(_ id: String) async throws -> SourceRun? { self.started.withLock { $0[id] } }
}
