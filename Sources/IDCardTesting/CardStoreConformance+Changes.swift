import IDCardCore
import IDCardPipeline

extension CardStoreConformance {
    static let changes: [Case] = [
        Case("what is blocked is to be decided on again only when a card of its number has changed") { subject in
            let store = subject.store
            let blocked = try await subject.verified(try Sample(1), reading: .back())
            try await subject.verified(try Sample(2, businessNumber: "CASE-2"))
            let basis = try await store.snapshot(of: .sample("CASE-1"))
            let change = ApplicationChange(waitReasons: [blocked.id: .blockedByFront])
            try expect(try await store.apply(change, basis: basis, now: .second(7)) != nil, "it is applied")
            let both = [try BusinessNumber.sample("CASE-1"), try .sample("CASE-2")]
            let all = try await store.applications(changedSince: nil)
            try expectEqual(all.numbers, both, "without a mark")
            let unchanged = try await store.applications(changedSince: all.mark)
            try expectEqual(unchanged.numbers, [both[1]], "without a change: what is not blocked")
            try await subject.admit(try Sample(3).admission)
            let changed = try await store.applications(changedSince: unchanged.mark)
            try expectEqual(changed.numbers, both, "after an admission")
            let afterwards = try await store.applications(changedSince: changed.mark)
            try expectEqual(afterwards.numbers, [both[1]], "afterwards")
            try await subject.erase(CardID(rawValue: "card-3"))
            let erased = try await store.applications(changedSince: afterwards.mark).numbers
            let isHeld = try await subject.card(blocked.id).state == .held
            try expect(isHeld || erased == both, "after an erasure")
        },
        Case("an erasure tells what it may have blocked that it has changed") { subject in
            let store = subject.store
            try await subject.delivered(try await subject.delivering(try Sample(1)))
            let blocked = try await subject.verified(try Sample(2))
            let unread = try Sample(3, side: .back)
            try await subject.admit(unread.admission)
            let basis = try await store.snapshot(of: .sample("CASE-1"))
            let change = ApplicationChange(waitReasons: [blocked.id: .blockedByOlderPhoto])
            try expect(try await store.apply(change, basis: basis, now: .second(7)) != nil, "it is applied")
            let mark = try await store.applications(changedSince: nil).mark
            try expectEqual(try await store.applications(changedSince: mark).numbers, [], "before")
            try await subject.erase(unread.id)
            try expectEqual(
                try await store.applications(changedSince: mark).numbers,
                [try .sample("CASE-1")],
                "after an erasure"
            )
            try expectEqual(try await subject.card(blocked.id).reason, nil, "the reason")
        },
        Case("whether cards of a business number are still to be verified is known") { subject in
            let store = subject.store
            try expectEqual(try await store.awaitsVerification(.sample("CASE-1")), false, "of nothing")
            try await subject.verified(try Sample(1))
            try expectEqual(try await store.awaitsVerification(.sample("CASE-1")), false, "of a verified card")
            try await subject.admit(try Sample(2).admission)
            try expectEqual(try await store.awaitsVerification(.sample("CASE-1")), true, "of a prepared card")
            try expectEqual(try await store.awaitsVerification(.sample("CASE-2")), false, "of another number")
        },
    ]
}
