import Foundation
import IDCardCore
import IDCardPipeline

extension CardStoreConformance {
    static let receipts: [Case] = [
        Case("the same request again answers with its card as it stands now, and stores nothing") { subject in
            let receipt = Receipt.sample()
            try await expectNoOutcome(of: receipt, in: subject)
            let first = try await subject.bytes(.source(1, 10), receipt: receipt)
            try await subject.receive(1, first)
            try await subject.claimReceived(1)
            let failed = try await subject.store.concludePreparing(
                .numbered(1),
                as: .failed(.decoderCrashed, message: "x"),
                now: .second(2)
            )
            let again = try await subject.store.receive(first, as: .numbered(2), now: .second(3))
            try expectEqual(again, .repeated(failed), "the second answer")
            try expectEqual(try await subject.store.outcome(of: receipt), .repeated(failed), "the answer asked for")
            try expectEqual(try await subject.store.stateCounts(), [.failed: 1], "the counts")
            try expectEqual(try await subject.store.reserveIntakeOrders(1), 2, "the next place")
        },
        Case("another request under a name that was used is refused, and stores nothing") { subject in
            try await subject.receive(1, .address(1, receipt: .sample()))
            let other = Receipt.sample(request: "request 2")
            let reception = try await subject.bytes(.source(2, 10), receipt: other)
            let outcome = try await subject.store.receive(reception, as: .numbered(2), now: .second(1))
            try expectEqual(outcome, .nameReused, "the answer")
            try expectEqual(try await subject.store.outcome(of: other), .nameReused, "the answer asked for")
            try expectEqual(try await subject.store.stateCounts(), [.fetching: 1], "the counts")
        },
        Case("names of different senders never meet") { subject in
            let scopes: [Receipt.Scope] = [
                .webhook, .idempotencyKey(caller: "a"), .idempotencyKey(caller: "b"), .idempotencyKey(caller: ""),
            ]
            for (index, scope) in scopes.enumerated() {
                let receipt = Receipt.sample(scope: scope, request: "request \(index)")
                try await subject.receive(index + 1, .address(index + 1, receipt: receipt))
            }
            try expectEqual(try await subject.store.stateCounts(), [.fetching: scopes.count], "the counts")
        },
        Case("a duplicate has a receipt, too: repeated, it takes nothing over any more") { subject in
            try await subject.receive(1, try await subject.bytes(.source(1, 10)))
            var metadata = try CardMetadata.sample(priority: 3)
            let receipt = Receipt.sample()
            let second = try await subject.bytes(.source(1, 10), metadata, receipt: receipt)
            _ = try await subject.store.receive(second, as: .numbered(2), now: .second(1))
            metadata.priority = 5
            _ = try await subject.store.update(.numbered(1), with: metadata, now: .second(2))
            let again = try await subject.store.receive(second, as: .numbered(3), now: .second(3))
            let card = try await subject.card(.numbered(1))
            try expectEqual(again, .repeated(card), "the second answer")
            try expectEqual(card.metadata.priority, 5, "the priority")
        },
        Case("a request that its card cannot take over leaves no receipt") { subject in
            try await subject.receive(1, try await subject.bytes(.source(1, 10)))
            try await subject.claimReceived(1)
            let end = PreparationConclusion.failed(.decoderCrashed, message: "x")
            _ = try await subject.store.concludePreparing(.numbered(1), as: end, now: .second(2))
            let receipt = Receipt.sample()
            let other = try await subject.bytes(.source(1, 10), CardMetadata.sample(priority: 3), receipt: receipt)
            for _ in 1...2 {
                let outcome = try await subject.store.receive(other, as: .numbered(2), now: .second(3))
                try expectEqual(outcome, .duplicate(try await subject.card(.numbered(1))), "the answer")
                try await expectNoOutcome(of: receipt, in: subject)
            }
            let same = try await subject.bytes(.source(1, 10), receipt: receipt)
            _ = try await subject.store.receive(same, as: .numbered(3), now: .second(4))
            let known = try await subject.store.outcome(of: receipt)
            try expectEqual(known, .repeated(try await subject.card(.numbered(1))), "the answer asked for")
        },
        Case("of concurrent requests under one name exactly one is taken in") { subject in
            let other = try await subject.another()
            let outcomes = try await withThrowingTaskGroup(of: ReceptionOutcome.self) { group in
                for number in 1...8 {
                    let store = number.isMultiple(of: 2) ? subject.store : other
                    let reception = try Reception.address(1, receipt: .sample())
                    group.addTask { try await store.receive(reception, as: .numbered(number), now: .second(0)) }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            try expectEqual(outcomes.count { if case .admitted = $0 { true } else { false } }, 1, "admissions")
            try expectEqual(outcomes.count { if case .repeated = $0 { true } else { false } }, 7, "repetitions")
            try expectEqual(try await subject.store.stateCounts(), [.fetching: 1], "the counts")
        },
        Case("a request that led to an erased card answers with its tombstone, and brings nobody back") { subject in
            let receipt = Receipt.sample()
            let reception = try await subject.bytes(.source(1, 10), receipt: receipt)
            try await subject.receive(1, reception)
            try await subject.erase(.numbered(1))
            let again = try await subject.store.receive(reception, as: .numbered(2), now: .second(60))
            try expectEqual(again, .repeated(try await subject.card(.numbered(1))), "the answer")
            try expectEqual(try await subject.store.stateCounts(), [.erased: 1], "the counts")
            // Another request with the same bytes is a new card.
            try await subject.receive(3, try await subject.bytes(.source(1, 10), receipt: .sample("message-2")))
        },
        Case("old receipts are forgotten, younger ones are not") { subject in
            try await subject.receive(1, .address(1, receipt: .sample("old")), at: .second(1))
            try await subject.receive(2, .address(2, receipt: .sample("young")), at: .second(2))
            try expectEqual(try await subject.store.forgetReceipts(before: .second(2)), 1, "receipts forgotten")
            try await expectNoOutcome(of: .sample("old"), in: subject)
            try expect(try await subject.store.outcome(of: .sample("young")) != nil, "the younger one is known")
            try expectEqual(try await subject.store.forgetReceipts(before: .second(2)), 0, "receipts forgotten twice")
        },
        Case("a run is kept, goes on until it ends, and is found by its name") { subject in
            var first = SourceRun(id: "run-1", source: "inbox", startedAt: .second(2))
            let second = SourceRun(id: "run-2", source: "archive", counts: ["ignored": 1], startedAt: .second(1))
            try expectEqual(try await subject.store.run("run-1"), nil, "a run that is not there")
            for run in [first, second] { try await subject.store.keep(run) }
            try expectEqual(try await subject.store.openRuns(), [second, first], "the open runs")
            (first.state, first.reason, first.endedAt) = (.failed, .sourceUnreadable, .second(9))
            first.counts = ["admitted": 3, "duplicate": 1, "refused": 5]
            first.refusals = ["source_unreadable": 3, "manifest_invalid": 2]
            try await subject.store.keep(first)
            try expectEqual(try await subject.another().run("run-1"), first, "the run")
            try expectEqual(try await subject.store.openRuns(), [second], "the open runs")
        },
    ]

    private static func expectNoOutcome(of receipt: Receipt, in subject: StoreSubject) async throws {
        try expectEqual(try await subject.store.outcome(of: receipt), nil, "the outcome of an unknown request")
    }
}
