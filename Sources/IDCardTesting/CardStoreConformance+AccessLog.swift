import IDCardCore
import IDCardPipeline

extension CardStoreConformance {
    static let accessLog: [Case] = [
        Case("what a person looks at is written down with who and why") { subject in
            let card = try await subject.admit(try Sample(1).admission)
            let origin = AccessOrigin(actor: "root:cards show", purpose: "ticket 7")
            try await subject.store.record(.show, of: card.id, by: origin, now: .second(5))
            try await subject.store.record(.export, of: card.id, by: AccessOrigin(actor: "root:x"), now: .second(6))
            let lines = try await subject.store.accessLog(of: nil, after: 0, limit: 10)
            try expectEqual(
                lines,
                [
                    AccessLine(number: 1, at: .second(5), action: .show, origin: origin, card: card.id),
                    AccessLine(
                        number: 2,
                        at: .second(6),
                        action: .export,
                        origin: AccessOrigin(actor: "root:x", purpose: AccessOrigin.notGiven),
                        card: card.id
                    ),
                ],
                "the log"
            )
            try expectEqual(try await subject.store.accessLog(of: card.id, after: 1, limit: 1), [lines[1]], "a page")
        },
        Case("the access log of a card that is not there is refused, and that of one nobody looked at is empty") {
            subject in
            let card = try await subject.admit(try Sample(1).admission)
            try expectEqual(try await subject.store.accessLog(of: card.id, after: 0, limit: 9), [], "the log")
            try await expectError(.notFound, "the log of nobody") {
                _ = try await subject.store.accessLog(of: CardID(rawValue: "nobody"), after: 0, limit: 9)
            }
        },
        Case("a look at a card that is not there is not written down") { subject in
            try await expectError(.notFound, "looking at nothing") {
                try await subject.store.record(
                    .show,
                    of: CardID(rawValue: "nobody"),
                    by: AccessOrigin(actor: "root:x"),
                    now: .second(5)
                )
            }
            try expectEqual(try await subject.store.accessLog(of: nil, after: 0, limit: 10), [], "the log")
        },
        Case("a call to the verifier is written down if it reached the service, and a kept reading is not") { subject in
            for (number, attempt) in [(1, AttemptRecord.accepted), (2, .ended(.notSent)), (3, nil)] {
                let sample = try Sample(number)
                try await subject.admit(sample.admission)
                try await subject.claimOnly(sample.id)
                _ = try await subject.store.conclude(
                    sample.id,
                    as: .rejected(ReasonCode(rawValue: "sample"), message: "sample"),
                    attempt: attempt,
                    now: .second(2)
                )
            }
            let lines = try await subject.store.accessLog(of: nil, after: 0, limit: 10)
            try expectEqual(lines.map(\.action), [.verify], "the actions")
            try expectEqual(lines.map(\.card), [try Sample(1).id], "the cards")
            try expectEqual(lines.map(\.origin.purpose), [AccessPurpose.verify], "the purposes")
            try expect(lines.allSatisfy { $0.origin.actor.hasPrefix("engine:") }, "the engine is the actor")
        },
        Case("a call that was cut off counts as one that may have revealed the image") { subject in
            let sample = try Sample(1)
            try await subject.admit(sample.admission)
            let dying = try await subject.another()
            _ = try await dying.claimPrepared(limit: 1, until: .second(99), now: .second(1))
            try await subject.end(dying)
            _ = try await subject.store.reclaimLeases(now: .second(2))
            try await subject.claimOnly(sample.id, at: .second(3))
            try await subject.store.releaseLeases()
            let lines = try await subject.store.accessLog(of: sample.id, after: 0, limit: 10)
            try expectEqual(lines.map(\.action), [.verify, .verify], "the actions")
            try expectEqual(Set(lines.map(\.origin.purpose)), [AccessPurpose.verifyInterrupted], "the purposes")
            try expectEqual(Set(lines.map(\.origin.actor)).count, 2, "the owners")
        },
        Case("every member of a delivery is written down before the first byte is sent") { subject in
            let delivery = try await subject.delivering(try Sample(1))
            let before = try await subject.store.accessLog(of: nil, after: 0, limit: 10)
            try expectEqual(before.map(\.action), [.verify], "the log before")
            try await subject.claimOnly(delivery.id)
            _ = try await subject.store.beginAttempt(of: delivery.id, after: 0, now: .second(3))
            let lines = try await subject.store.accessLog(of: nil, after: 1, limit: 10)
            try expectEqual(lines.map(\.action), [.deliver], "the actions")
            try expectEqual(lines.map(\.card), delivery.members, "the cards")
            try expectEqual(lines.map(\.origin.purpose), [AccessPurpose.deliver], "the purposes")
        },
        Case("a card that was leased and is verified is written down once") { subject in
            try await subject.verified(try Sample(1))
            _ = try await subject.store.reclaimLeases(now: .second(9999))
            try await subject.store.releaseLeases()
            let lines = try await subject.store.accessLog(of: nil, after: 0, limit: 10)
            try expectEqual(lines.map(\.origin.purpose), [AccessPurpose.verify], "the purposes")
        },
    ]
}
