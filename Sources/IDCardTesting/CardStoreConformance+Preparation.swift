import IDCardCore
import IDCardPipeline

extension CardStoreConformance {
    static let preparation: [Case] = [
        Case("what a dead owner had under preparation is counted once, and forgotten once it was decoded") { subject in
            let bad = ContentDigest.sample("bad")
            for crashes in 0..<3 {
                let dying = try await subject.another()
                try expectEqual(try await dying.beginPreparing(bad).crashes, crashes, "crashes")
                // The same bytes twice at once are one crash.
                try expectEqual(try await dying.beginPreparing(bad).crashes, crashes, "crashes seen twice")
                try await subject.end(dying)
                _ = try await subject.store.reclaimLeases(now: .second(1))
                _ = try await subject.store.reclaimLeases(now: .second(1))
            }
            let other = try await subject.store.beginPreparing(.sample("other"))
            try expectEqual(other.crashes, 0, "crashes of other bytes")
            let tried = try await subject.store.beginPreparing(bad)
            try expectEqual(tried.crashes, 3, "crashes")
            try await subject.store.endPreparing(tried, survived: false)
            let again = try await subject.store.beginPreparing(bad)
            try expectEqual(again.crashes, 3, "crashes after a child died")
            try await subject.store.endPreparing(again, survived: true)
            try expectEqual(try await subject.store.beginPreparing(bad).crashes, 0, "crashes after it was decoded")
        },
        Case("what was prepared before the owner died is not counted") { subject in
            let dying = try await subject.another()
            let done = try await dying.beginPreparing(.sample("done"))
            let underway = try await dying.beginPreparing(.sample("under way"))
            try expect(done.slot != underway.slot, "images prepared at once have slots of their own")
            try await dying.endPreparing(done, survived: true)
            try await subject.end(dying)
            _ = try await subject.store.reclaimLeases(now: .second(1))
            try expectEqual(try await subject.store.beginPreparing(.sample("done")).crashes, 0, "crashes of the first")
            let second = try await subject.store.beginPreparing(.sample("under way"))
            try expectEqual(second.crashes, 1, "crashes of the second")
        },
        Case("what a living owner has under preparation is not counted") { subject in
            let living = try await subject.another()
            _ = try await living.beginPreparing(.sample("slow"))
            _ = try await subject.store.reclaimLeases(now: .second(1))
            try expectEqual(try await subject.store.beginPreparing(.sample("slow")).crashes, 0, "crashes")
        },
        Case("there is room in an empty store") { subject in
            try expectEqual(await subject.store.space(), .ample, "room")
        },
    ]
}
