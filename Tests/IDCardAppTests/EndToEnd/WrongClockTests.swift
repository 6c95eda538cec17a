import Foundation
import IDCardTesting
import Testing

@Suite(
    "A clock that was wrong once",
    .serialized,
    .timeLimit(.minutes(Sanitizer.minutes(5))),
    .disabled(if: Sanitizer.isPresent, "a preloaded library comes before the runtime of the sanitizer")
)
struct WrongClockTests {
    /// A pair that was delivered to the built-in endpoints, and the command that did it.
    private func delivered(_ tool: Tool, _ variables: [String: String] = [:]) async throws -> [String] {
        let command = ["run", try tool.pairs().path, "--embedded", "--format", "json"]
        let outcome = try await tool.run(command, variables)
        #expect(outcome.status == 0, "\(outcome.errors)")
        return command
    }

    private func states(_ tool: Tool) async throws -> [String] {
        let list = try await tool.run(["cards", "list", "--embedded", "--format", "jsonl"])
        return list.output.split(separator: "\n").map { line in
            line.contains(#""state":"delivered""#)
                ? "delivered" : line.contains(#""state":"erased""#) ? "erased" : "other"
        }
    }

    private static let idle = ["run", "--embedded"]

    @Test("What was put off by a clock a year ahead goes on at once with the right one")
    func due() async throws {
        let tool = try Tool()
        let clock = try await WrongClock(for: tool)
        let command = ["run", try tool.pairs().path, "--format", "json"]
        try await tool.servingBoth { verifier, backend in
            var ahead = RemoteConfiguration()
            // So long that it would not be over within the patience, were the clock right.
            ahead.others = ["run: {patience: 1s}"]
            let nobody = "http://127.0.0.1:1/verify"
            let wrong = try ahead.write(for: tool, verifier: nobody, backend: backend)
            let refused = try await tool.run(command + wrong, clock.days(365))
            #expect(refused.status == 75, "\(refused.errors)")
            let right = try RemoteConfiguration().write(for: tool, verifier: verifier, backend: backend)
            let outcome = try await tool.run(command + right)
            #expect(outcome.status == 0, "\(outcome.errors)")
            #expect(try outcome.json().counts["delivered"] == 2)
            let check = try await tool.run(["fsck"] + right)
            #expect(check.status == 0, "\(check.output)")
        }
        #expect(try tool.ledger().map(\.doctype) == ["IDCARD_FRONT_APP", "IDCARD_BACK_APP"])
    }

    @Test("A clock that is a year ahead once erases nothing, and nothing is sent again", arguments: [365.0, 8])
    func aheadOnce(days: Double) async throws {
        let tool = try Tool()
        let clock = try await WrongClock(for: tool)
        let retention = ["IDCARD_RETENTION_DELIVERED": "7d"]
        let command = try await self.delivered(tool, retention)
        let ahead = try await tool.run(Self.idle, retention.merging(clock.days(days)) { _, new in new })
        #expect(ahead.status == 0, "\(ahead.errors)")
        #expect(ahead.errors.contains("more than a week ahead"), "\(ahead.errors)")
        #expect(try await self.states(tool) == ["delivered", "delivered"])
        let again = try await tool.run(command, retention)
        #expect(again.status == 0, "\(again.errors)")
        #expect(try again.json().counts["duplicate"] == 2)
        #expect(try await self.states(tool) == ["delivered", "delivered"])
        // The right clock between them says that the second look is no later one of a steady clock.
        _ = try await tool.run(Self.idle, retention.merging(clock.days(days + 1)) { _, new in new })
        #expect(try await self.states(tool) == ["delivered", "delivered"])
    }

    @Test("A machine that was off for two months erases by itself a day later")
    func offForLong() async throws {
        let tool = try Tool()
        let clock = try await WrongClock(for: tool)
        _ = try await self.delivered(tool)
        let retention = ["IDCARD_RETENTION_DELIVERED": "30d"]
        _ = try await tool.run(Self.idle, retention.merging(clock.days(60)) { _, new in new })
        #expect(try await self.states(tool) == ["delivered", "delivered"])
        _ = try await tool.run(Self.idle, retention.merging(clock.days(60.8)) { _, new in new })
        #expect(try await self.states(tool) == ["delivered", "delivered"])
        _ = try await tool.run(Self.idle, retention.merging(clock.days(61)) { _, new in new })
        #expect(try await self.states(tool) == ["erased", "erased"])
    }

    @Test("A person says that the clock is right: what has expired by it is erased at once")
    func byAPerson() async throws {
        let tool = try Tool()
        let clock = try await WrongClock(for: tool)
        _ = try await self.delivered(tool)
        let variables = clock.days(60).merging(["IDCARD_RETENTION_DELIVERED": "30d"]) { _, new in new }
        let outcome = try await tool.run(["cards", "erase", "--expired", "--yes", "--embedded"], variables)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(outcome.errors.contains("make sure that it is right"), "\(outcome.errors)")
        #expect(try await self.states(tool) == ["erased", "erased"])
    }

    @Test("Cards of a clock that was a year behind are not erased as soon as it is right")
    func behind() async throws {
        let tool = try Tool()
        let clock = try await WrongClock(for: tool)
        let retention = ["IDCARD_RETENTION_DELIVERED": "30d"]
        _ = try await tool.run(Self.idle, retention)
        _ = try await self.delivered(tool, retention.merging(clock.days(-365)) { _, new in new })
        let right = try await tool.run(Self.idle, retention)
        #expect(right.status == 0, "\(right.errors)")
        #expect(try await self.states(tool) == ["delivered", "delivered"])
    }
}
