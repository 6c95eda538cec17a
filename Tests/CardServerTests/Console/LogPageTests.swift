import TestSupport
import Testing

@testable import CardServer
@testable import CardStore

@Suite(.timeLimit(.minutes(5))) struct LogPageTests {
    /// Follows the page that checks the chain until it says how that ended.
    private func check(_ visitor: ConsoleVisitor) async throws -> String {
        var answer = try await visitor.get("/console/log?check=1&action=list")
        while let next = answer["refresh"] {
            #expect(next == "2; url=/console/log?check=1&action=list" && answer.page.contains("is being checked"))
            answer = try await visitor.get("/console/log?check=1&action=list")
        }
        return answer.page
    }

    @Test func `the page says whether the chain of the log is whole`() async throws {
        try await ServerHarness.with { (harness) async throws in
            let auditor = try await ConsoleVisitor(harness, as: "auditor")
            #expect(try await auditor.get("/console/log").page.contains("/console/log?check=1"))
            #expect(try await self.check(auditor).contains("The chain is whole: 0 lines."))
        }
        try await ServerHarness.with { (harness) async throws in
            let auditor = try await ConsoleVisitor(harness, as: "auditor")
            try await harness.store.write { tx in try tx.run("UPDATE store SET log_seal = x'00'") }
            #expect(try await self.check(auditor).contains("The chain is broken in 1 place"))
        }
    }

    @Test func `a page does not wait for what takes long, and it is found out once`() async throws {
        let (kept, gate) = (CachedValue<Int>(), Gate(isOpen: false))
        let first = try await kept.value(for: { _ in .seconds(600) }, within: .milliseconds(1)) {
            await gate.pass()
            return 7
        }
        #expect(first == nil)
        gate.open()
        let second = try await kept.value(for: { _ in .zero }, within: .seconds(600)) { 8 }
        #expect(second == 7)
    }
}
