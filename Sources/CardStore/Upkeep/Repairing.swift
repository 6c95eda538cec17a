package import CardModel

extension SandboxFinding {
    /// Whether ``CardStore/repair(by:now:)`` mends it.
    package var isMendable: Bool {
        CheckRule.all.contains { $0.code == self.code && !$0.mends.isEmpty }
            || ["erased_with_remains", "erasure_cut_off", "erasure_line_missing", "reading_missing", "case_wrong"]
                .contains(self.code)
    }
}

extension CardStore {
    /// Mends what can be mended without a risk: nothing here sends a card twice, loses one, or lets one go that was kept back.
    ///
    /// Claims of nobody are given back, what an erasure or a delivery left behind goes, what a number must know is noted on it, a
    /// call of nobody counts as one that may have arrived, a card whose reading is gone is read again, and a line that is gone
    /// from the list of erasures is written again.
    ///
    /// - Returns: what was mended, and what is left for a person.
    package func repair(
        by origin: AccessOrigin,
        now: Timestamp
    ) async throws -> (mended: [SandboxFinding], left: [SandboxFinding]) {
        let before = try await self.check()
        guard before.contains(where: \.isMendable), !before.contains(where: { $0.code == "file_damaged" }) else {
            return ([], before)
        }
        let codes = Set(before.map(\.code))
        try await self.write(at: now) { tx in
            for rule in CheckRule.all where codes.contains(rule.code) {
                for mend in rule.mends { try tx.run(mend) }
            }
            for finding in before {
                guard let card = finding.card else { continue }
                let row = try CardRow.require(card, in: tx)
                switch finding.code {
                case "erased_with_remains" where row.state == .erased: try Erasure.destroy(card, in: tx)
                case "reading_missing" where row.state == .verified:
                    try self.move(row, Transition(.prepared), in: tx)
                default: break
                }
            }
            try Self.setAllCaseStates(in: tx)
        }
        if codes.contains("erased_with_remains") { _ = await self.emptyLog() }
        for entry in codes.contains("erasure_cut_off") ? try await self.unerased() : [] {
            try await self.erase([entry.card], because: entry.reason ?? .requested, by: origin, now: now)
        }
        if codes.contains("erasure_line_missing") { try await self.writeMissingErasureLines() }
        let left = try await self.check()
        return (before.filter { !left.contains($0) }, left)
    }
}
