import Foundation
import GRDB
package import IDCardCore
package import IDCardPipeline

extension SandboxStore {
    package func erase(
        _ cards: [CardID],
        under retention: Retention?,
        reason: ReasonCode,
        by origin: AccessOrigin,
        now: Timestamp
    ) async throws -> [ErasureCertificate] {
        try await self.read { db in
            for card in cards { _ = try Self.requireRow(of: card, in: db) }
        }
        let erased = try await self.eraseEach(of: cards) { card in
            ErasureRequest(card: card, retention: retention, reason: reason, origin: origin, now: now)
        }
        guard !erased.isEmpty else { return try await self.erasureCertificates(of: cards) }
        // Where many follow each other, one search at their end looks for all of them.
        if retention == nil, try await self.isQuicklySearched() { _ = try await self.continueErasures(within: nil) }
        try await self.finish(erased)
        return try await self.erasureCertificates(of: cards)
    }

    /// Erases cards in as few commits as it takes, each whole or not at all.
    ///
    /// - Returns: those that were erased now.
    private func eraseEach(
        of cards: [CardID],
        by request: @escaping @Sendable (CardID) -> ErasureRequest
    ) async throws -> [CardID] {
        let writer = try self.writer
        var erased: [CardID] = []
        var rest = cards[...]
        while !rest.isEmpty {
            let group = rest.prefix(Self.cardsOfOneGroup)
            rest = rest.dropFirst(group.count)
            defer { self.recent.forget(Array(group)) }
            erased += try await withThrowingTaskGroup(of: CardID?.self) { tasks in
                for card in group {
                    tasks.addTask { try await writer.write { try self.erase(request(card), in: $0) } ? card : nil }
                }
                return try await tasks.compactMap { $0 }.reduce(into: [CardID]()) { $0.append($1) }
            }
        }
        return erased
    }

    /// So many are given to the writer at a time, which commits them together.
    private static let cardsOfOneGroup = 50

    package func expired(under retention: Retention, limit: Int, now: Timestamp) async throws -> [CardID] {
        try await self.read { db in
            var cards: [CardID] = []
            for (state, duration) in retention.limits.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
                let deadline = now.millisecondsSinceEpoch - duration.wholeMilliseconds
                cards += try String.fetchAll(
                    db,
                    sql: ErasureSQL.expired,
                    arguments: [state.rawValue, deadline, max(0, limit - cards.count)]
                ).map(CardID.init)
            }
            return cards
        }
    }

    /// The places of all erased cards in the deliveries they were members of: what a built-in backend is to erase.
    package func erasedDocuments() async throws -> [ErasedDocument] {
        try await self.read { db in
            try Row.fetchAll(db, sql: ErasureSQL.erasedDocuments).map { row in
                ErasedDocument(
                    card: CardID(rawValue: row["card"]),
                    delivery: DeliveryID(rawValue: row["delivery"]),
                    position: row["position"]
                )
            }
        }
    }

    /// Notes what became of the documents of erased cards in a built-in backend, and rewrites their certificates.
    package func certify(_ documents: ErasureCertificate.Documents, of cards: [CardID]) async throws {
        try await self.finish(cards, documents: documents)
    }

    /// The certificates of some cards, or of all that are erased, as they stand now.
    package func erasureCertificates(of cards: [CardID]? = nil) async throws -> [ErasureCertificate] {
        try await self.read { db in
            let all = try cards ?? String.fetchAll(db, sql: "SELECT card FROM erasure ORDER BY card").map(CardID.init)
            return try all.compactMap { try self.certificate(of: $0, in: db) }
        }
    }

    /// Writes down what has been done of some erasures since they were committed, and their certificates.
    func finish(
        _ cards: [CardID],
        isScrubbed: Bool = false,
        documents: ErasureCertificate.Documents? = nil
    ) async throws {
        // So many at a time: others write between two.
        for start in stride(from: 0, to: cards.count, by: Self.certificatesOfOneTurn) {
            let part = cards[start..<min(start + Self.certificatesOfOneTurn, cards.count)]
            try await self.finish(part, isScrubbed: isScrubbed, documents: documents)
        }
    }

    private static let certificatesOfOneTurn = 500

    private func finish(
        _ cards: ArraySlice<CardID>,
        isScrubbed: Bool,
        documents: ErasureCertificate.Documents?
    ) async throws {
        let news = try await self.writer.write { db in
            try cards.compactMap { try self.update($0, isScrubbed: isScrubbed, documents: documents, in: db) }
        }
        guard !news.isEmpty else { return }
        // Who was erased must not be left in a copy that nobody asked for.
        try self.directory.removeUpgradeBackups()
        try await self.journal(try news.map(Self.encode))
        try await self.writer.write { db in
            for certificate in news {
                try db.execute(
                    sql: "UPDATE erasure SET is_certified = 1 WHERE card = ?",
                    arguments: [certificate.card.rawValue]
                )
            }
        }
    }

    /// Writes lines into the journal of erasures, on a full disk with what is kept in reserve.
    private func journal(_ lines: [Data]) async throws {
        let journal = ErasureJournal(directory: self.directory)
        do {
            try await journal.append(lines)
        } catch {
            guard self.disk.giveUpBallast() else { throw error }
            try await journal.append(lines)
        }
    }

    /// - Returns: the certificate if it says something new.
    private func update(
        _ card: CardID,
        isScrubbed: Bool,
        documents: ErasureCertificate.Documents?,
        in db: Database
    ) throws -> ErasureCertificate? {
        guard let before = try self.certificate(of: card, in: db) else { return nil }
        var certificate = before
        certificate.isScrubbed = before.isScrubbed || isScrubbed
        certificate.documents = documents ?? before.documents
        let isCertified = try Bool.fetchOne(
            db,
            sql: "SELECT is_certified FROM erasure WHERE card = ?",
            arguments: [card.rawValue]
        )
        guard certificate != before || isCertified == false else { return nil }
        try Self.keep(certificate, in: db)
        return certificate
    }

    /// Writes a certificate down, in words and columns alike; its line in the journal is still to come.
    static func keep(_ certificate: ErasureCertificate, in db: Database) throws {
        try db.execute(
            sql: ErasureSQL.keep,
            arguments: [
                String(decoding: try self.encode(certificate), as: UTF8.self), certificate.isScrubbed,
                certificate.card.rawValue,
            ]
        )
    }

    func certificate(of card: CardID, in db: Database) throws -> ErasureCertificate? {
        try Row.fetchOne(db, sql: ErasureSQL.certificate, arguments: [card.rawValue]).map { row in
            let text = Data((row["certificate"] as String).utf8)
            var certificate = try Self.decode(ErasureCertificate.self, from: text, in: "erasure.certificate")
            // The column says what is still to be done; words that are ahead of it promise too much.
            certificate.isScrubbed = row["is_scrubbed"]
            return certificate
        }
    }

    /// The columns of a card that an erasure looks at; nothing sealed, so that a card that does not open can be erased.
    static func requireRow(of card: CardID, in db: Database) throws -> Row {
        guard let row = try Row.fetchOne(db, sql: ErasureSQL.card, arguments: [card.rawValue]) else {
            throw StoreError(.notFound, "there is no card \(card)")
        }
        return row
    }
}
