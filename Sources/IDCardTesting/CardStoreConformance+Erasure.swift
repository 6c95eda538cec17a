import Foundation
import IDCardCore
import IDCardPipeline

extension CardStoreConformance {
    static let erasure: [Case] = [
        Case("an erased card is a tombstone: name, times and reason, nothing personal") { subject in
            let sample = try Sample(1, file: .sample())
            try await subject.verified(sample)
            let certificate = try await subject.erase(sample.id)
            let card = try await subject.card(sample.id)
            try expectEqual(
                card,
                Card(
                    id: sample.id,
                    state: .erased,
                    reason: ReasonCode(rawValue: "requested"),
                    metadata: CardMetadata(businessNumber: .erased),
                    intakeOrder: 1,
                    createdAt: .second(0),
                    changedAt: .second(50)
                ),
                "the tombstone"
            )
            let details = try require(try await subject.store.details(of: sample.id), "the details")
            try expectEqual(details.reading, nil, "the reading")
            try expectEqual(details.imageByteCount, nil, "the image")
            try expectEqual(details.events.last?.kind, "erased", "the last event")
            try await expectError(.notFound, "the image") { _ = try await subject.store.preparedImage(of: sample.id) }
            try expectEqual(try await subject.store.reading(for: sample.readingKey), nil, "the kept reading")
            try expectEqual(certificate.sourceFileCount, 1, "source files")
            try expectEqual(certificate.verifier, .holds, "the verifier")
            try expectEqual(certificate.backend, .notSent, "the backend")
            let lines = try await subject.store.accessLog(of: sample.id, after: 0, limit: 9)
            try expectEqual(lines.map(\.action), [.verify, .erase], "the access log")
            try expectEqual(lines.last?.number, certificate.accessNumber, "the line of the erasure")
        },
        Case("a card that is not there is not erased, nor those beside it") { subject in
            let sample = try Sample(1)
            try await subject.admit(sample.admission)
            try await expectError(.notFound, "erasing nothing") {
                _ = try await subject.store.erase(
                    [sample.id, CardID(rawValue: "nobody")],
                    reason: .retention,
                    by: .tester,
                    now: .second(5)
                )
            }
            try expectEqual(try await subject.card(sample.id).state, .prepared, "the other card")
        },
        Case("erasing once more answers the same, and is not written down again") { subject in
            let sample = try Sample(1)
            try await subject.admit(sample.admission)
            let first = try await subject.erase(sample.id)
            let second = try await subject.store.erase([sample.id], reason: .retention, by: .tester, now: .second(99))
            try expectEqual(second, [first], "the certificate")
            let lines = try await subject.store.accessLog(of: sample.id, after: 0, limit: 9)
            try expectEqual(lines.map(\.action), [.erase], "the access log")
            try expectEqual(try await subject.store.finishErasures(), 0, "erasures left to be finished")
        },
        Case("a rescan of an erased card's file finds the tombstone; other files and new sendings are new") { subject in
            let file = FileIdentity.sample()
            let sample = try Sample(1, file: file)
            try await subject.admit(sample.admission)
            try await subject.erase(sample.id)
            let metadata = sample.admission.metadata
            let known = try await subject.store.card(ofFile: file, businessNumber: metadata.businessNumber)
            try expectEqual(known?.state, .erased, "the card of the file")
            let digest = sample.admission.sourceDigest
            try expectEqual(
                try await subject.store.recognise(digest, metadata: metadata, file: nil, now: .second(60)),
                nil,
                "the card of the bytes"
            )
            let touched = FileIdentity.sample(modified: 99)
            let same = try await subject.store.recognise(digest, metadata: metadata, file: touched, now: .second(60))
            try expectEqual(same?.state, .erased, "the card of the file that was touched")
            let other = ContentDigest(of: Data("other".utf8))
            try expectEqual(
                try await subject.store.recognise(other, metadata: metadata, file: touched, now: .second(60)),
                nil,
                "the card of other bytes at the same place"
            )
            let updated = try await subject.store.update(sample.id, with: metadata, now: .second(61))
            try expectEqual(updated.metadata, CardMetadata(businessNumber: .erased), "the metadata of the tombstone")
            let again = try await subject.admit(try Sample(2, bytes: "source 1").admission)
            try expectEqual(again.state, .prepared, "a new sending")
        },
        Case("erasing takes a card out of the hands of whoever verifies it") { subject in
            let sample = try Sample(1)
            try await subject.admit(sample.admission)
            let other = try await subject.another()
            _ = try await other.claimPrepared(limit: 1, until: .second(99), now: .second(1))
            let certificate = try await subject.erase(sample.id)
            try expectEqual(certificate.verifier, .mayHold, "the verifier")
            try await expectError(.conflict, "the late verdict") {
                _ = try await other.conclude(
                    sample.id,
                    as: .judged(.front(), sample.readingKey, .accepted),
                    attempt: .accepted,
                    now: .second(60)
                )
            }
            try expectEqual(try await subject.card(sample.id).state, .erased, "the state")
            try expectEqual(try await subject.store.reading(for: sample.readingKey), nil, "the reading")
            let lines = try await subject.store.accessLog(of: sample.id, after: 0, limit: 9)
            try expectEqual(lines.map(\.action), [.verify, .erase], "the access log")
        },
        Case("erasing ends a delivery that was never attempted; its other members go in another") { subject in
            let (delivery, cards) = try await subject.pairDelivering()
            let other = try await subject.another()
            _ = try await other.claimDeliveries(limit: 1, until: .second(999), now: .second(3))
            let certificate = try await subject.erase(cards[1])
            try expectEqual(certificate.backend, .notSent, "the backend")
            try expectEqual(certificate.deliveries, [delivery.id.rawValue], "the deliveries")
            try expectEqual(try await subject.card(cards[0]).state, .verified, "the other member")
            try expectEqual(try await subject.card(cards[0]).delivery, nil, "the delivery of the other member")
            try await expectError(.conflict, "the late attempt") {
                _ = try await other.beginAttempt(of: delivery.id, after: 0, now: .second(60))
            }
            let claimed = try await subject.store.claimDeliveries(limit: 9, until: .second(999), now: .second(61))
            try expectEqual(claimed, [], "deliveries left")
        },
        Case("erasing ends a delivery under way; what became of its other members a person must find out") { subject in
            let (delivery, cards) = try await subject.pairDelivering()
            let other = try await subject.another()
            _ = try await other.claimDeliveries(limit: 1, until: .second(999), now: .second(3))
            _ = try await other.beginAttempt(of: delivery.id, after: 0, now: .second(3))
            try expectEqual(try await subject.erase(cards[0]).backend, .mayHold, "the backend")
            let left = try await subject.card(cards[1])
            try expectEqual(left.state, .held, "the other member")
            try expectEqual(left.reason, .outcomeUnknown, "its reason")
            try await expectError(.conflict, "the late conclusion") {
                _ = try await other.conclude(
                    delivery.id,
                    as: .delivered(code: "0000"),
                    attempt: .accepted,
                    number: 1,
                    now: .second(60)
                )
            }
            try await expectError(.conflict, "sending it again") {
                _ = try await subject.store.resolve(cards[1], as: .resend, by: .tester, now: .second(61))
            }
            let accepted = try await subject.store.resolve(cards[1], as: .accept, by: .tester, now: .second(62))
            try expectEqual(accepted.map(\.state), [.verified], "accepted, it goes in a new delivery")
        },
        Case("a delivered card says so on its certificate") { subject in
            let delivery = try await subject.delivering(try Sample(1))
            try await subject.claimOnly(delivery.id)
            _ = try await subject.store.beginAttempt(of: delivery.id, after: 0, now: .second(3))
            _ = try await subject.store.conclude(
                delivery.id,
                as: .delivered(code: "0000"),
                attempt: .accepted,
                number: 1,
                now: .second(4)
            )
            try expectEqual(try await subject.erase(delivery.members[0]).backend, .holds, "the backend")
        },
        Case("what is older than its retention is found, oldest first, and no more than asked for") { subject in
            for number in 1...3 {
                let content = Admission.Content.refused(ReasonCode(rawValue: "sample"), message: "sample")
                try await subject.admit(
                    try Sample(number, content: content).admission,
                    at: .second(Int64(10 - number))
                )
            }
            try await subject.admit(try Sample(4).admission, at: .second(0))
            var retention = Retention()
            retention.limit(.rejected, to: .seconds(100))
            retention.limit(.failed, to: .seconds(0))
            let expected = [CardID(rawValue: "card-3"), CardID(rawValue: "card-2")]
            let store = subject.store
            try expectEqual(
                try await store.expired(under: retention, limit: 9, now: .second(108)),
                expected,
                "expired"
            )
            try expectEqual(
                try await store.expired(under: retention, limit: 1, now: .second(999)),
                [expected[0]],
                "expired, one at most"
            )
            try expectEqual(try await store.expired(under: Retention(), limit: 9, now: .second(999)), [], "kept")
        },
        Case("a card that was listed as expired and came back to life is not erased by retention") { subject in
            let content = Admission.Content.refused(ReasonCode(rawValue: "sample"), message: "sample")
            for number in 1...2 {
                try await subject.admit(try Sample(number, content: content).admission, at: .second(Int64(number)))
            }
            var retention = Retention()
            retention.limit(.rejected, to: .seconds(100))
            let store = subject.store
            let now = Timestamp.second(101)
            try expectEqual(try await store.expired(under: retention, limit: 9, now: now).count, 1, "expired")
            let both = [CardID(rawValue: "card-1"), CardID(rawValue: "card-2")]
            let certificates = try await store.erase(both, under: retention, reason: .retention, by: .tester, now: now)
            try expectEqual(certificates.map(\.card), [both[0]], "the erased card")
            try expectEqual(try await store.card(both[1])?.state, .rejected, "the state of the younger card")
            var other = Retention()
            other.limit(.failed, to: .seconds(1))
            _ = try await store.erase(both, under: other, reason: .retention, by: .tester, now: .second(999))
            try expectEqual(try await store.card(both[1])?.state, .rejected, "the state of a card without a limit")
        },
    ]
}

extension AccessOrigin {
    static let tester = AccessOrigin(actor: "tester:conformance", purpose: "sample")
}

extension StoreSubject {
    /// Erases a card at second 50.
    @discardableResult
    func erase(_ card: CardID) async throws -> ErasureCertificate {
        let certificates = try await self.store.erase(
            [card],
            reason: ReasonCode(rawValue: "requested"),
            by: .tester,
            now: .second(50)
        )
        try expectEqual(certificates.map(\.card), [card], "the cards of the certificates")
        return certificates[0]
    }

    /// Verifies a front and a back and forms one delivery of both, which is open and not leased.
    func pairDelivering() async throws -> (Delivery, [CardID]) {
        let front = try await self.verified(try Sample(1))
        let back = try await self.verified(try Sample(2), reading: .back())
        let delivery = Delivery.sample("delivery-1", of: [front, back])
        let basis = try await self.store.snapshot(of: front.metadata.businessNumber)
        let change = ApplicationChange(deliveries: [delivery])
        try expect(try await self.store.apply(change, basis: basis, now: .second(2)) != nil, "the change is applied")
        return (delivery, [front.id, back.id])
    }
}
