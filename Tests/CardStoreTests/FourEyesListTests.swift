import CardModel
import Foundation
import TestSupport
import Testing

@testable import CardStore

/// What two persons must decide alike stands in the sandbox.
@Suite final class FourEyesListTests: StoreSuite {
    private let li = FourEyesListTests.person("li.na")
    private let wang = FourEyesListTests.person("wang.wei")
    private var store: Sandbox { harness.store }

    private static func person(_ name: String) -> AccessOrigin {
        AccessOrigin(caller: Caller(subject: name, scopes: [.operate]), "user:\(name)", "T-1")
    }

    private func drop(_ origin: AccessOrigin, confirming: Bool = false) async throws -> FourEyesDrop {
        try await store.decisions.dropFourEyes(.accept, confirming: confirming, by: origin, now: harness.now)
    }

    private func listed() async throws -> [DecisionAction] { try await store.decisions.fourEyes().map(\.action) }

    @Test func `a process without the list in its configuration asks a second person all the same`() async throws {
        let verdict = Verdict.held(VerdictRule.legalityUnavailable.reason, message: "look at it")
        let card = try await harness.judged("front", number: "N", verdict)
        let other = try await harness.another()
        #expect(try await other.decisions.requireSecond(for: [.accept], by: li, now: harness.now) == [.accept])
        #expect(try await other.decisions.requireSecond(for: [.accept], by: li, now: harness.now) == [])
        try other.close()
        // On a page, by command and over HTTP.
        try await harness.decideOnPage(card, .accept, by: li)
        harness.pass(.seconds(10))
        #expect(try await harness.carryOut() == [])
        try await harness.killWorker()
        #expect(try await harness.carryOut() == [])
        for _ in 0..<2 {
            #expect(try await store.decisions.resolve(card, as: .accept, by: li, now: harness.now) == .waitsForSecond)
        }
        #expect(try await harness.state(card) == "held legality_unavailable")
        #expect(try await harness.accessLog().contains { $0[0] == "four_eyes" && $0[1].hasSuffix("adds accept") })
        #expect(
            try await store.decisions.resolve(card, as: .accept, by: wang, now: harness.now).changes.map(\.state) == [
                .verified
            ]
        )
    }

    @Test func `what was written for two stays so, though the list is shorter by then`() async throws {
        let verdict = Verdict.held(VerdictRule.legalityUnavailable.reason, message: "look at it")
        let card = try await harness.judged("front", number: "N", verdict)
        try await store.decisions.requireSecond(for: [.accept], by: li, now: harness.now)
        try await harness.decideOnPage(card, .accept, by: li)
        _ = try await self.drop(li)
        #expect(try await self.drop(wang) == .dropped)
        harness.pass(.seconds(10))
        #expect(try await harness.carryOut() == [])
        #expect(try await harness.state(card) == "held legality_unavailable")
    }

    @Test func `two persons take an action off the list, or one after seven days that everybody could see`()
        async throws
    {
        try await store.decisions.requireSecond(for: [.accept, .reject], by: li, now: harness.now)
        #expect(await code { try await self.drop(self.wang, confirming: true) } == .cardConflict)
        let until = harness.now.advanced(by: .seconds(7 * 86_400))
        for _ in 0..<2 { #expect(try await self.drop(li) == .waits(until: until)) }
        let issue = try #require(try await store.listings.issues(.ample, now: harness.now).first)
        #expect(
            issue.code == "four_eyes_drop" && issue.message.text().contains("idcard-pipeline review keep accept")
        )
        #expect(try await self.listed() == [.accept, .reject])
        // Starting a process that still has the key changes nothing about it.
        try await store.decisions.requireSecond(for: [.accept], by: wang, now: harness.now)
        try await store.decisions.keepFourEyes(.accept, by: wang, now: harness.now)
        #expect(try await store.listings.issues(.ample, now: harness.now).isEmpty)
        _ = try await self.drop(li)
        #expect(try await self.drop(wang, confirming: true) == .dropped)
        #expect(try await self.listed() == [.reject])
        #expect(await code { try await self.drop(self.li) } == .cardConflict)
    }

    @Test func `who wants nothing changed learns whether the action is on the list`() async throws {
        func refusal() async -> String? {
            let error = await #expect(throws: CodedError.self) {
                try await self.store.decisions.keepFourEyes(.accept, by: self.li, now: self.harness.now)
            }
            return error?.message.id
        }
        #expect(await refusal() == "four_eyes.not_listed")
        try await store.decisions.requireSecond(for: [.accept], by: li, now: harness.now)
        #expect(await refusal() == "four_eyes.not_asked")
        // As that message says.
        #expect(try await self.drop(li) != .dropped)
        try await store.decisions.keepFourEyes(.accept, by: wang, now: harness.now)
    }

    @Test func `one person alone waits seven days by a clock that runs`() async throws {
        try await store.decisions.requireSecond(for: [.accept], by: li, now: harness.now)
        _ = try await self.drop(li)
        for day in 1...7 {
            #expect(try await self.drop(li) != .dropped, "day \(day)")
            harness.pass(.seconds(86_400))
            try await store.upkeep.recordClock(harness.now)
        }
        #expect(try await self.drop(li) == .dropped)
    }

    @Test func `a clock that jumps by a week takes nothing off the list`() async throws {
        try await store.decisions.requireSecond(for: [.accept], by: li, now: harness.now)
        _ = try await self.drop(li)
        harness.pass(.seconds(8 * 86_400))
        #expect(try await self.drop(li) != .dropped)
        #expect(try await self.listed() == [.accept])
    }
}
