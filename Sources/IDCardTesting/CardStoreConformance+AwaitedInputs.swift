import IDCardCore
import IDCardPipeline

extension CardStoreConformance {
    private static let folder = InputSource.listed(Redacted("/photos"))

    private static func input(
        _ path: String,
        source: InputSource = folder,
        isRefused: Bool = false
    ) throws -> AwaitedInput {
        AwaitedInput(
            businessNumber: try .sample("CASE-1"),
            path: Redacted(path),
            source: source,
            isRefused: isRefused
        )
    }

    private static func expectAwaited(
        _ expected: AwaitedInputs,
        _ store: any CardStore,
        _ what: String
    ) async throws {
        try expectEqual(try await store.snapshot(of: try .sample("CASE-1")).awaited, expected, what)
    }

    static let awaitedInputs: [Case] = [
        Case("what is expected and what was refused is known to every owner, and outlives the one who wrote it") {
            subject in
            let other = try await subject.another()
            try await other.add([try Self.input("/photos/1"), try Self.input("/photos/2")], now: .second(3))
            try await other.add([try Self.input("/photos/2", isRefused: true)], now: .second(4))
            try await Self.expectAwaited(AwaitedInputs(expected: 1, refused: 1), subject.store, "of a living owner")
            try await other.keepAwaiting(now: .second(5))
            try await subject.end(other)
            _ = try await subject.store.reclaimLeases(now: .second(6))
            try await Self.expectAwaited(
                AwaitedInputs(abandonedExpected: 1, abandonedRefused: 1, abandonedAt: .second(5)),
                subject.store,
                "of a dead owner"
            )
            try expect(try await subject.store.awaitsInputs(of: [Self.folder]), "the source is known")
            try expect(try await !subject.store.awaitsInputs(of: [.named]), "another source is not known")
        },
        Case("an input that becomes a card is awaited no more, whoever takes it in") { subject in
            let path = "/photos/1"
            let sample = try Sample(1, file: .sample(path: path))
            let other = try await subject.another()
            try await other.add([try Self.input(path), try Self.input("/photos/2")], now: .second(1))
            try await subject.store.add([try Self.input(path, isRefused: true)], now: .second(1))
            try await Self.expectAwaited(AwaitedInputs(expected: 2, refused: 1), subject.store, "before")
            try expect(try await !subject.store.hasCard(of: try Self.input(path)), "no card was made of it")
            try await subject.admit(sample.admission)
            try expect(try await subject.store.hasCard(of: try Self.input(path)), "a card was made of it")
            try await Self.expectAwaited(AwaitedInputs(expected: 1), subject.store, "after")
            try await subject.store.end([try Self.input("/photos/2")])
            try expect(try await !subject.store.awaitsInputs(), "nothing is awaited any more")
        },
        Case("a new look through a source takes the place of former ones, but for what living owners expect") {
            subject in
            let (living, dying) = (try await subject.another(), try await subject.another())
            try await living.add(
                [try Self.input("/photos/1"), try Self.input("/photos/2", isRefused: true)],
                now: .second(1)
            )
            try await dying.add(
                [try Self.input("/photos/3"), try Self.input("/photos/4", isRefused: true)],
                now: .second(1)
            )
            try await dying.add([try Self.input("/elsewhere", source: .named, isRefused: true)], now: .second(1))
            try await subject.store.add([try Self.input("/photos/5")], now: .second(1))
            try await subject.end(dying)
            _ = try await subject.store.reclaimLeases(now: .second(2))
            try await subject.store.announce([try Self.input("/photos/6")], foundIn: [Self.folder], now: .second(3))
            try await Self.expectAwaited(
                AwaitedInputs(expected: 2, abandonedRefused: 1, abandonedAt: .second(1)),
                subject.store,
                "what is left"
            )
        },
        Case("an input that a dead owner expected belongs to the next owner who finds it") { subject in
            let dying = try await subject.another()
            try await dying.add([try Self.input("/photos/1", source: .named)], now: .second(1))
            try await subject.end(dying)
            _ = try await subject.store.reclaimLeases(now: .second(2))
            try await subject.store.add([try Self.input("/photos/1", source: .named)], now: .second(3))
            try await Self.expectAwaited(AwaitedInputs(expected: 1), subject.store, "the expected inputs")
        },
        Case("a decision made before an input was expected is not applied") { subject in
            let card = try await subject.verified(try Sample(1))
            let basis = try await subject.store.snapshot(of: try .sample("CASE-1"))
            let other = try await subject.another()
            try await other.add([try Self.input("/photos/2")], now: .second(3))
            let change = ApplicationChange(deliveries: [.sample("delivery-1", of: [card])])
            try expect(
                try await subject.store.apply(change, basis: basis, now: .second(4)) == nil,
                "the change is not applied"
            )
            try expectEqual(
                try await subject.store.applicationsLeasedElsewhere(),
                [try .sample("CASE-1")],
                "the business numbers at which others are at work"
            )
            try expectEqual(
                try await subject.store.applicationsAwaitingInputs(),
                [try .sample("CASE-1")],
                "the business numbers that wait"
            )
        },
        Case("a back that lacked its front goes on when a front is delivered, and alone when a person accepts it") {
            subject in
            let backs = [try Sample(1), try Sample(2, businessNumber: "CASE-2")]
            for (back, reason) in zip(backs, [ReasonCode.frontRefused, .frontExpected]) {
                _ = try await subject.verified(back, reading: .back())
                let basis = try await subject.store.snapshot(of: back.admission.metadata.businessNumber)
                let change = ApplicationChange(
                    refused: [back.id: VerdictFinding(reason, .hold, message: ApplicationRules.message(for: reason))]
                )
                let held = try await subject.store.apply(change, basis: basis, now: .second(3))
                try expectEqual(held?[back.id]?.state, .held, "the state of the back")
                try expectEqual(held?[back.id]?.reason, reason, "its reason")
                try expect(held?[back.id]?.message?.isEmpty == false, "it says what to do")
            }
            let delivery = try await subject.delivering(try Sample(3))
            try await subject.claimOnly(delivery.id, at: .second(5))
            let number = try await subject.store.beginAttempt(of: delivery.id, after: 0, now: .second(5))
            _ = try await subject.store.conclude(
                delivery.id,
                as: .delivered(code: "0000"),
                attempt: .accepted,
                number: number,
                now: .second(6)
            )
            try expectEqual(try await subject.card(backs[0].id).state, .verified, "the back behind its front")
            try expectEqual(try await subject.card(backs[1].id).state, .held, "the back of another number")
            _ = try await subject.store.resolve(backs[1].id, as: .accept, by: .tester, now: .second(7))
            let snapshot = try await subject.store.snapshot(of: backs[1].admission.metadata.businessNumber)
            try expectEqual(snapshot.cards.map(\.goesAlone), [true], "whether it may go alone")
        },
    ]
}
