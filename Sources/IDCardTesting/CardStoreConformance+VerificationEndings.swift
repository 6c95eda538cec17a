import IDCardCore
import IDCardPipeline

extension CardStoreConformance {
    private struct Ending: Sendable {
        let name: String
        let conclusion: VerificationConclusion
        let state: CardState
        let reason: ReasonCode?
        let side: CardSide?
        let attempts: Int
        /// The codes of the warnings, in their order.
        var warnings: [String] = []
    }

    private static let endings: [Ending] = {
        let key = ReadingKey(imageDigest: .sample("image"), provider: "faceid-v1", parameters: "")
        let no = ReasonCode.numberChecksum
        let warnings = [VerdictRule.ethnicityUnknown, .expiresSoon].map {
            VerdictFinding($0.reason, .warn, message: "words of a warning")
        }
        return [
            Ending(
                name: "accepted",
                conclusion: .judged(.back(), key, .accepted),
                state: .verified,
                reason: nil,
                side: .back,
                attempts: 0
            ),
            Ending(
                name: "accepted with warnings",
                conclusion: .judged(.front(), key, .accepted, warnings: warnings),
                state: .verified,
                reason: nil,
                side: .front,
                attempts: 0,
                warnings: ["ethnicity_unknown", "expires_soon"]
            ),
            Ending(
                name: "refused with a warning",
                conclusion: .judged(.front(), key, .rejected(no, message: "words"), warnings: [warnings[0]]),
                state: .rejected,
                reason: no,
                side: .front,
                attempts: 0,
                warnings: ["ethnicity_unknown"]
            ),
            Ending(
                name: "refused by our rules",
                conclusion: .judged(.front(), key, .rejected(no, message: "words")),
                state: .rejected,
                reason: no,
                side: .front,
                attempts: 0
            ),
            Ending(
                name: "left to a person",
                conclusion: .judged(.front(), key, .held(.legalityUnavailable, message: "words")),
                state: .held,
                reason: .legalityUnavailable,
                side: .front,
                attempts: 0
            ),
            Ending(
                name: "refused by the service",
                conclusion: .rejected(no, message: "words"),
                state: .rejected,
                reason: no,
                side: nil,
                attempts: 0
            ),
            Ending(
                name: "out of attempts",
                conclusion: .failed(.attemptsExhausted, message: "words"),
                state: .failed,
                reason: .attemptsExhausted,
                side: nil,
                attempts: 2
            ),
        ]
    }()

    static let verificationEndings: [Case] =
        endings.map { ending in
            Case("a card \(ending.name) becomes \(ending.state)") { try await check(ending, $0) }
        } + [
            Case("work on a card that is not leased here is not concluded and changes nothing") { subject in
                let sample = try Sample(1)
                try await subject.admit(sample.admission)
                try await expectRefusal(sample, in: subject, by: subject.store, "a card nobody claimed")
                try await subject.claimOnly(sample.id)
                try await expectRefusal(sample, in: subject, by: try await subject.another(), "a card of another owner")
            },
            Case("a concluded card is not concluded again") { subject in
                let sample = try Sample(1)
                try await subject.verified(sample)
                try await expectRefusal(sample, in: subject, by: subject.store, "a verified card")
            },
            Case("a judgement by what the sender has put right since changes nothing, and the card is judged by that") {
                try await checkStaleJudgement($0)
            },
            Case("what another owner made smaller is what the next one gets to see") { subject in
                let sample = try Sample(1)
                try await subject.admit(sample.admission)
                let other = try await subject.another()
                let claimed = try await other.claimPrepared(limit: 1, until: .second(1000), now: .second(1))
                let smaller = PreparedImage.sample(8)
                _ = try await other.conclude(claimed[0], as: .shrunk(smaller), attempt: nil, now: .second(2))
                try await subject.claimOnly(sample.id, at: .second(3))
                try expectEqual(try await subject.store.preparedImage(of: sample.id), smaller, "the image")
            },
            Case("an unknown card cannot be concluded and has no image") { subject in
                let id = CardID(rawValue: "nobody")
                try await expectError(.notFound, "the conclusion") {
                    _ = try await subject.store.conclude(
                        id,
                        as: .rejected(.sideMissing, message: ""),
                        attempt: nil,
                        now: .second(1)
                    )
                }
                try await expectError(.notFound, "the image") { _ = try await subject.store.preparedImage(of: id) }
                try expectEqual(try await subject.store.card(id), nil, "the card")
                try expectEqual(try await subject.store.details(of: id), nil, "the details")
            },
        ]

    private static func checkStaleJudgement(_ subject: StoreSubject) async throws {
        let sample = try Sample(1)
        try await subject.admit(sample.admission)
        let claimed = try await subject.store.claimPrepared(limit: 1, until: .second(1000), now: .second(1))
        var metadata = sample.admission.metadata
        metadata.expectedName = Redacted("样本乙")
        let corrected = try await subject.store.update(sample.id, with: metadata, now: .second(2))
        let before = try await subject.store.details(of: sample.id)
        let judgement = VerificationConclusion.judged(.front(), sample.readingKey, .accepted)
        var card = try await subject.store.conclude(claimed[0], as: judgement, attempt: .accepted, now: .second(3))
        try expectEqual(card, corrected, "the card with what its sender says now")
        try expectEqual(try await subject.store.details(of: sample.id), before, "its details")
        let left = try await subject.store.claimPrepared(limit: 1, until: .second(9), now: .second(99))
        try expectEqual(left, [], "cards to claim while it is leased")
        card = try await subject.store.conclude(card, as: judgement, attempt: .accepted, now: .second(4))
        try expectEqual(card.state, .verified, "the state by the judgement that holds")
        let attempts = try await subject.store.details(of: sample.id)?.events.filter { $0.kind == "attempt" }
        try expectEqual(attempts?.count, 1, "attempts")
    }

    private static func check(_ ending: Ending, _ subject: StoreSubject) async throws {
        let sample = try Sample(1)
        try await subject.admit(sample.admission)
        try await subject.claimOnly(sample.id)
        _ = try await subject.store.conclude(
            sample.id,
            as: .retry(at: .second(2), costsAttempt: true),
            attempt: .ended(.transient, code: "timeout"),
            now: .second(2)
        )
        try await subject.claimOnly(sample.id, at: .second(2))
        let card = try await subject.store.conclude(
            sample.id,
            as: ending.conclusion,
            attempt: .ended(.rejected, code: "word"),
            now: .second(3)
        )
        try expectEqual(card.state, ending.state, "the state")
        try expectEqual(card.reason, ending.reason, "the reason")
        try expectEqual(card.message, ending.reason == nil ? nil : "words", "the message")
        try expectEqual(card.side, ending.side, "the side")
        try expectEqual(card.attempts, ending.attempts, "attempts")
        try expectEqual(card.nextAttemptAt, nil, "the time of the next attempt")
        try expectEqual(card.changedAt, .second(3), "the time of the change")
        try expectEqual(try await subject.card(sample.id), card, "the card kept")
        let details = try require(try await subject.store.details(of: sample.id), "details")
        try expectEqual(details.reading?.side, ending.side, "the side of the reading kept")
        let warnings = ending.warnings.map { CardEvent(at: .second(3), kind: "warning", code: $0) }
        let history =
            [
                CardEvent(at: .second(0), kind: "admitted", state: .prepared),
                CardEvent(at: .second(2), kind: "attempt", code: "timeout"),
                CardEvent(at: .second(3), kind: "attempt", code: "word"),
                CardEvent(
                    at: .second(3),
                    kind: ending.state.rawValue,
                    state: ending.state,
                    code: ending.reason?.rawValue
                ),
            ] + warnings
        try expectEqual(details.events, history, "the events")
        let left = try await subject.store.claimPrepared(limit: 1, until: .second(9), now: .second(99))
        try expectEqual(left, [], "cards left to verify")
    }

    /// Tries every conclusion; each must fail as a conflict and leave the card, its image, reading and history alone.
    private static func expectRefusal(
        _ sample: Sample,
        in subject: StoreSubject,
        by store: any CardStore,
        _ what: String
    ) async throws {
        let before = try await subject.store.details(of: sample.id)
        let image = try await subject.store.preparedImage(of: sample.id)
        let conclusions =
            endings.map(\.conclusion) + [.retry(at: .second(9), costsAttempt: true), .shrunk(.sample(8))]
        for conclusion in conclusions {
            try await expectError(.conflict, what) {
                _ = try await store.conclude(sample.id, as: conclusion, attempt: .accepted, now: .second(9))
            }
        }
        try expectEqual(try await subject.store.details(of: sample.id), before, "the details of \(what)")
        try expectEqual(try await subject.store.preparedImage(of: sample.id), image, "the image of \(what)")
    }
}
