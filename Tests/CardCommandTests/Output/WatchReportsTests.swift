import CardEngine
import CardInput
import CardModel
import Foundation
import TestSupport
import Testing

@testable import CardCommand
@testable import CardStore

/// What a watch prints for a reader that stalls.
@Suite struct WatchReportsTests {
    private static func take(_ number: String, _ card: CardID) -> PipelineEvent {
        let item = Photo(
            .address(Redacted("https://host/\(number).jpg")),
            name: Redacted(number),
            metadata: CardMetadata(businessNumber: BusinessNumber(stored: number))
        )
        return .taken(item, Admitted(card: card, state: .prepared, reason: nil, isDuplicate: false))
    }

    @Test func `news beyond the bound are left out, whatever they are of; those before are printed`() async throws {
        let tool = try Tool()
        let store = try await tool.sandbox()
        defer { try? store.close() }
        let cards = try await store.admitPhotos(["R-1", "R-2"])
        try await tool.plant("UPDATE card SET state = 'rejected', reason = 'rejected_by_operator'")
        let reports = WatchReports(store: store, format: .jsonl, waitingLimit: 3)
        reports.observe(Self.take("R-1", cards[0]))
        for name in ["a", "b", "c", "d"] {
            let error = CodedError(.unsupportedFormat, .input, "no image")
            reports.observe(.refused(name: Redacted(name), error, card: nil))
        }
        reports.observe(Self.take("R-2", cards[1]))
        reports.finish()
        try await reports.print()
        #expect(reports.counts[.refused] == 2 && reports.counts[.card(.rejected)] == 1)
        #expect(reports.counts.total == 3)
    }
}
