import IDCardCore

extension SettleStage {
    /// Forms the batches that are full or have waited long enough.
    func assemble() async throws {
        for entries in self.assembly.take(now: self.context.time.now()) {
            // A delivery formed while the stage is stopped might hold a TOKEN that has expired.
            guard self.gate.pausedUntil(at: self.context.time.now()) == nil else {
                self.touch(entries)
                continue
            }
            try await self.form(entries)
        }
    }

    /// Forms one delivery of several business numbers; if one has changed meanwhile, all are decided on again.
    private func form(_ gathered: [BatchAssembly.Entry]) async throws {
        var entries = gathered
        var change = ApplicationChange()
        while entries.contains(where: { !$0.cards.isEmpty }) {
            do {
                let delivery = try await self.forming.delivery(
                    of: entries.flatMap { entry in entry.cards.map { ($0, entry.basis.businessNumber) } }
                )
                change.deliveries = [delivery]
                for entry in entries where !entry.warnings.isEmpty {
                    for card in entry.cards { change.warnings[card.id] = entry.warnings }
                }
                break
            } catch let failure as RemoteFailure where failure.failureClass == .rejected {
                // All are of one account: what is missing for one is missing for each.
                for card in entries.flatMap(\.cards) { change.explain(card, by: ReasonCode(rawValue: failure.code)) }
                break
            } catch let failure as RemoteFailure {
                return try await self.stop(for: failure, change: change, numbers: entries.map(\.basis))
            } catch let error as DeliveryForming.ImageUnreadable {
                for index in entries.indices where entries[index].cards.contains(where: { $0.id == error.card }) {
                    change.leaveOut(error.card, from: &entries[index].cards)
                }
            }
        }
        if try await !self.apply(change, basis: entries.map(\.basis)) { self.touch(entries) }
    }

    private func touch(_ entries: [BatchAssembly.Entry]) {
        for entry in entries { self.context.applications.touch(entry.basis.businessNumber) }
    }
}
