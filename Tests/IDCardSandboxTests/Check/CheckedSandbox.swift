import Foundation
import GRDB
import IDCardCore
import IDCardPipeline
import IDCardTesting

@testable import IDCardSandbox

/// A whole sandbox for the tests of the check: a card in delivery, one delivered, one verified, one prepared, one refused.
struct CheckedSandbox {
    let folder: SandboxFolder

    init(vault: VaultAccess = .sample) {
        self.folder = SandboxFolder(vault: vault)
    }

    static let delivering = "card-1"
    static let delivered = "card-2"
    static let verified = "card-3"
    static let prepared = "card-4"
    static let rejected = "card-5"
    static let open = "delivery-1"
    static let closed = "delivery-2"

    /// Makes the cards and closes the sandbox.
    func fill() async throws {
        let store = try self.folder.open()
        _ = try await store.reserveIntakeOrders(9)
        for number in 1...4 { _ = try await store.admit(Self.admission(number), now: .second(1)) }
        var refused = try Self.admission(5)
        refused.content = .refused(.sourceTooLarge, message: "too large")
        _ = try await store.admit(refused, now: .second(1))
        for card in try await store.claimPrepared(limit: 3, until: .second(99), now: .second(2)) {
            try await Self.verify(card, in: store)
        }
        try await Self.deliver(Self.delivered, as: Self.closed, in: store, ending: true)
        try await Self.deliver(Self.delivering, as: Self.open, in: store, ending: false)
        try await store.releaseLeases()
        try await store.close()
    }

    /// Looks at the sandbox as `fsck` does.
    func check(quick: Bool = false) async throws -> SandboxReport {
        let store = try self.folder.open(readOnly: true)
        let report = try await store.check(quick: quick)
        try await store.close()
        return report
    }

    /// Repairs what was found, as `fsck --repair` does.
    func repair(_ findings: [SandboxFinding]) async throws {
        let store = try self.folder.open()
        try await store.repair(findings, now: .second(50))
        try await store.close()
    }

    /// Damages the sandbox by SQL that the schema would refuse.
    func damage(by statements: [String]) throws {
        try self.folder.raw { db in
            try db.execute(sql: "PRAGMA foreign_keys = OFF")
            try db.execute(sql: "PRAGMA ignore_check_constraints = ON")
            for statement in statements { try db.execute(sql: statement) }
        }
    }

    static func admission(_ number: Int) throws -> Admission {
        var admission = try Admission.sample(number)
        guard let businessNumber = BusinessNumber("CASE-\(number)") else { throw StoreError(.corrupt, "sample") }
        admission.metadata.businessNumber = businessNumber
        return admission
    }

    private static func verify(_ card: Card, in store: SandboxStore) async throws {
        let image = try await store.preparedImage(of: card.id)
        let key = ReadingKey(imageDigest: image.digest, provider: "faceid-v1", parameters: "")
        let reading = CardReading(side: .front, fields: CardFields(name: "样本甲", number: "11010519491231002X"))
        _ = try await store.conclude(card.id, as: .judged(reading, key, .accepted), attempt: nil, now: .second(2))
    }

    private static func deliver(_ card: String, as id: String, in store: SandboxStore, ending: Bool) async throws {
        guard let found = try await store.card(CardID(rawValue: card)) else { throw StoreError(.notFound, card) }
        let delivery = Delivery(
            id: DeliveryID(rawValue: id),
            boundary: "b",
            parts: [.text("token-1", name: "TOKEN")],
            members: [found.id],
            businessNumbers: [found.metadata.businessNumber]
        )
        let basis = try await store.snapshot(of: found.metadata.businessNumber)
        _ = try await store.apply(ApplicationChange(deliveries: [delivery]), basis: basis, now: .second(3))
        _ = try await store.claimDeliveries(limit: 1, until: .second(99), now: .second(4))
        _ = try await store.beginAttempt(of: delivery.id, after: 0, now: .second(4))
        guard ending else { return }
        let attempt = AttemptRecord(failureClass: .accepted, code: "ok", httpStatus: 200, startedAt: .second(4))
        _ = try await store.conclude(
            delivery.id,
            as: .delivered(code: "ok"),
            attempt: attempt,
            number: 1,
            now: .second(5)
        )
    }
}

extension SandboxReport {
    /// Code and subject of every finding.
    var words: [String] { self.findings.map { "\($0.code.rawValue) \($0.subject ?? "-")" } }
}
