import IDCardCore
import IDCardPipeline
import IDCardTesting
import Testing

/// A run beside another process that has leased what the run waits for.
@Suite("Work in the hands of another process", .timeLimit(.minutes(Sanitizer.minutes(2))))
struct OthersAtWorkTests {
    private let time = ManualTime()

    private func harness(_ kind: StoreKind) throws -> PipelineHarness {
        try PipelineHarness(kind, time: self.time.port) {
            $0.patience = .seconds(10)
            $0.takeBackInterval = .seconds(2)
        }
    }

    /// Leaves a card behind that is to be verified, leased by another owner.
    private func leave(_ item: IntakeItem, in harness: PipelineHarness) async throws -> (any CardStore, Card) {
        let shutdown = Shutdown()
        let verifier = ScriptedVerifier { _ in
            shutdown.request()
            throw CancellationError()
        }
        _ = try await harness.engine(verifier: verifier).runBatch([item], until: shutdown)
        let other = try harness.another()
        // While the work of a run lags on a busy machine, the clock may move on by hours.
        let expiry = self.time.now.advanced(by: .seconds(100_000_000))
        let claimed = try await other.claimPrepared(limit: 1, until: expiry, now: self.time.now)
        return (other, try #require(claimed.first))
    }

    @Test("A run waits for it as long as its patience, and ends with the work left", arguments: StoreKind.allCases)
    func stays(kind: StoreKind) async throws {
        let harness = try self.harness(kind)
        let item = try harness.photo("1.jpg", "front;\(Holder.first)")
        let (other, _) = try await self.leave(item, in: harness)
        for items in [[item], []] {
            let start = self.time.now
            let ending = try await self.time.ticking(by: .seconds(2)) { try await harness.run(items) }
            #expect(ending == .leftToOthers)
            #expect(self.time.now >= start.advanced(by: .seconds(10)))
            #expect(try await harness.states() == ["prepared"])
        }
        #expect(harness.verifier.images.isEmpty)
        try await other.releaseLeases()
    }

    @Test("What comes back within the patience is done by the run", arguments: StoreKind.allCases)
    func comesBack(kind: StoreKind) async throws {
        let harness = try self.harness(kind)
        let item = try harness.photo("1.jpg", "front;\(Holder.first)")
        let (other, _) = try await self.leave(item, in: harness)
        let ending = try await self.time.ticking(by: .seconds(2), pausingAfter: 2) {
            try await other.releaseLeases()
        } _: {
            try await harness.run([item])
        }
        #expect(ending == .complete)
        #expect(try await harness.states() == ["delivered"])
    }

    @Test("What another verifies and leaves is delivered by the run", arguments: StoreKind.allCases)
    func verifiedElsewhere(kind: StoreKind) async throws {
        let harness = try self.harness(kind)
        let item = try harness.photo("1.jpg", "front;\(Holder.first)")
        let (other, card) = try await self.leave(item, in: harness)
        let ending = try await self.time.ticking(by: .seconds(2), pausingAfter: 2) {
            let image = try await other.preparedImage(of: card.id)
            _ = try await other.conclude(
                card,
                as: .judged(
                    PhotoText(image.jpeg).reading,
                    ReadingKey(imageDigest: image.digest, provider: "other", parameters: ""),
                    .accepted,
                ),
                attempt: nil,
                now: self.time.now
            )
        } _: {
            try await harness.run([item])
        }
        #expect(ending == .complete)
        #expect(try await harness.states() == ["delivered"])
        #expect(harness.verifier.images.isEmpty)
    }

    @Test("A run does not wait for what is none of its business numbers", arguments: StoreKind.allCases)
    func unrelated(kind: StoreKind) async throws {
        let harness = try self.harness(kind)
        let (other, _) = try await self.leave(try harness.photo("1.jpg", "front;\(Holder.first)"), in: harness)
        let start = self.time.now
        let item = try harness.photo("2.jpg", "front;\(Holder.second)", number: "B-2")
        #expect(try await harness.run([item]) == .complete)
        #expect(self.time.now == start)
        #expect(try await harness.states() == ["prepared", "delivered"])
        try await other.releaseLeases()
    }
}
