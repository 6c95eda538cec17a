import IDCardCore
import IDCardPipeline
import IDCardTesting
import Testing

@testable import IDCardSandbox

/// What a batch costs is the number of its commits: each one waits for the disk.
struct CommitCountTests {
    @Test("forty cards through all stages cost fewer commits than changes", .timeLimit(.minutes(Sanitizer.minutes(2))))
    func forty() async throws {
        let harness = try PipelineHarness(.sqlite)
        let items = try (0..<20).flatMap { pair in
            [
                try harness.photo("f\(pair).jpg", "front;\(Holder.first);\(pair)", number: "B-\(pair)", side: .front),
                try harness.photo("b\(pair).jpg", "back;\(pair)", number: "B-\(pair)", side: .back),
            ]
        }
        let store = try #require(harness.store as? SandboxStore)
        let before = try store.writer.statistics
        try await harness.run(items)
        let after = try store.writer.statistics
        let commits = after.commits - before.commits
        let changes = after.changes - before.changes
        #expect(try await harness.store.stateCounts().values.reduce(0, +) == 40)
        #expect(commits < changes)
    }

    @Test("a second run over known inputs commits nothing and takes no place in the order")
    func known() async throws {
        let harness = try PipelineHarness(.sqlite)
        let items = try (0..<70).map {
            try harness.photo("\($0).jpg", "front;\(Holder.first);\($0)", number: "B-\($0)")
        }
        let store = try #require(harness.store as? SandboxStore)
        try await harness.run(items)
        let before = try store.writer.statistics
        let next = try await store.reserveIntakeOrders(1)
        let reserved = try store.writer.statistics
        #expect(reserved.commits == before.commits + 1)
        try await harness.run(items)
        let after = try store.writer.statistics
        #expect(after.commits == reserved.commits)
        #expect(try await store.reserveIntakeOrders(1) == next + 1)
        // Nothing between the first place and the last that the first run did not take.
        #expect(next == 71)
    }
}
