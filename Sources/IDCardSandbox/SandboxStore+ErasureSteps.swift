import Foundation
import GRDB
import IDCardCore
import IDCardPipeline

// What is done to a card within the one transaction that erases it.
extension SandboxStore {
    /// Erases a card; one that is erased already stays as it is, and one whose retention is not over.
    ///
    /// - Returns: whether it was erased now.
    func erase(_ request: ErasureRequest, in db: Database) throws -> Bool {
        let id = request.card.rawValue
        let row = try Self.requireRow(of: request.card, in: db)
        let state: CardState = try Self.word(row["state"], in: "card.state")
        guard state != .erased else { return false }
        // It may have come back to life since it was listed.
        let changedAt = Timestamp(millisecondsSinceEpoch: row["changed_at"])
        if let retention = request.retention, !retention.isOver(for: state, since: changedAt, now: request.now) {
            return false
        }
        var traces = try self.traces(of: request.card, businessNumber: row["business_no"], in: db)
        var certificate = try self.certificate(for: request, state: row["state"], in: db)
        // First of all, so that whatever goes wrong later nothing of the card can be read.
        try self.destroyKey(of: id, in: db)
        try self.noteInterruptedCalls(now: request.now, in: db, where: "id = ?", [id])
        for delivery in try Row.fetchAll(db, sql: ErasureSQL.deliveries, arguments: [id]) {
            traces += try self.takeOut(request.card, of: delivery, now: request.now, in: db)
        }
        try db.execute(sql: "DELETE FROM image WHERE card = ?", arguments: [id])
        try db.execute(sql: "DELETE FROM reading WHERE card = ?", arguments: [id])
        try self.forgetFailures(of: request.card, in: db)
        // Its receipts stay: a request that is repeated does not bring an erased person back.
        try self.dropSource(of: request.card, in: db)
        try self.bury(request, from: row["state"], in: db)
        try self.noteErasedFront(row, now: request.now, in: db)
        try self.keepReplaced(by: request.card, row, in: db)
        // A tombstone does not name its number: what it blocked is told that it has changed.
        for card in try String.fetchAll(db, cached: ApplicationSQL.blocked, arguments: [row["business_no"] as String]) {
            try self.explainWait(of: CardID(rawValue: card), by: nil, now: request.now, in: db)
        }
        try db.execute(sql: ErasureSQL.forgetCrashes, arguments: ["content": row["content_fingerprint"] as Data])
        try self.log(&certificate, by: request.origin, now: request.now, in: db)
        // The bytes themselves are nowhere any more, not even as what is looked for.
        let sought = ErasedTrace.traces(of: traces, marker: ErasedTrace.TraceMarker(self.vault))
        try db.execute(
            sql: "INSERT INTO erasure (card, certificate, traces) VALUES (?, ?, ?)",
            arguments: [
                id, String(decoding: try Self.encode(certificate), as: UTF8.self), ErasedTrace.encode(sought),
            ]
        )
        return true
    }

    /// Adds the line of an erasure to the access log, and has the certificate name it.
    func log(
        _ certificate: inout ErasureCertificate,
        by origin: AccessOrigin,
        now: Timestamp,
        in db: Database
    ) throws {
        try self.chain.append(.erase, of: certificate.card, by: origin, now: now, in: db)
        let head = try self.chain.head(in: db)
        certificate.accessNumber = head.number
        certificate.accessCode = AccessChain.text(of: head.code)
    }

    private func bury(_ request: ErasureRequest, from state: String, in db: Database) throws {
        try db.execute(
            sql: ErasureSQL.bury,
            arguments: [
                "id": request.card.rawValue, "state": state, "reason": request.reason.rawValue,
                "businessNumber": BusinessNumber.erased.rawValue, "now": request.now.millisecondsSinceEpoch,
            ]
        )
        guard db.changesCount == 1 else {
            throw StoreError(.conflict, "card \(request.card) is not \(state) any more; nothing was changed")
        }
        let event = CardEvent(
            at: request.now,
            kind: CardState.erased.rawValue,
            state: .erased,
            code: request.reason.rawValue
        )
        try self.append(event, to: request.card, in: db)
    }

    /// Destroys the data key of a card or a delivery: what is sealed for it cannot be opened by anybody any more.
    func destroyKey(of owner: String, in db: Database) throws {
        try db.execute(sql: "DELETE FROM data_key WHERE owner = ?", arguments: [owner])
    }

    // MARK: Deliveries

    /// Makes sure that a delivery never sends a card again and keeps nothing of it.
    ///
    /// - Returns: bytes that must be found nowhere in the file any more.
    private func takeOut(_ card: CardID, of row: Row, now: Timestamp, in db: Database) throws -> [Data] {
        let delivery = DeliveryID(rawValue: row["id"])
        let traces = try Data.fetchAll(db, sql: ErasureSQL.wrappedKey, arguments: [delivery.rawValue])
        let state: DeliveryState = try Self.word(row["state"], in: "delivery.state")
        guard state == .open || state == .held else {
            try self.empty(delivery, in: db)
            return traces
        }
        let mayBeThere =
            try Bool.fetchOne(db, sql: DeliverySQL.mayHaveBeenReceived, arguments: [delivery.rawValue]) ?? false
        let end = AttemptRecord(failureClass: .unknown, code: Self.erasedCode, httpStatus: nil, startedAt: now)
        if try self.endOpenAttempt(of: delivery, as: end, now: now, in: db) {
            try self.tellMembers(of: delivery, code: end.code, now: now, in: db)
        }
        let others = try self.actingMembers(of: delivery, in: db).filter { $0 != card }
        try db.execute(
            sql: ErasureSQL.takeApart,
            arguments: [now.millisecondsSinceEpoch, delivery.rawValue]
        )
        guard db.changesCount == 1 else { throw Self.corrupt("delivery.state") }
        try self.empty(delivery, in: db)
        for other in others { try self.sendBack(other, mayBeThere: mayBeThere, now: now, in: db) }
        if mayBeThere { try self.warnHeldMembers(of: delivery, except: card, now: now, in: db) }
        return traces
    }

    /// Has the held members of a delivery that was taken apart remember that the backend may hold them: the delivery, whose
    /// attempts said so, is no guard any more.
    private func warnHeldMembers(
        of delivery: DeliveryID,
        except card: CardID,
        now: Timestamp,
        in db: Database
    ) throws {
        let held = try String.fetchAll(
            db,
            sql: ErasureSQL.heldMembers,
            arguments: [delivery.rawValue, card.rawValue, delivery.rawValue]
        ).map(CardID.init)
        for member in held {
            var transition = CardTransition(card: member, from: .held, to: .held, now: now)
            (transition.reason, transition.message) = (.outcomeUnknown, Self.takenApartMessage)
            try self.perform(transition, in: db)
            try db.execute(sql: "UPDATE card SET delivery = NULL WHERE id = ?", arguments: [member.rawValue])
        }
    }

    /// What becomes of a card whose delivery was taken apart because another member was erased.
    private func sendBack(_ card: CardID, mayBeThere: Bool, now: Timestamp, in db: Database) throws {
        var transition = CardTransition(card: card, from: .delivering, to: .verified, now: now)
        transition.code = Self.erasedCode
        if mayBeThere {
            transition.to = .held
            (transition.reason, transition.message) = (.outcomeUnknown, Self.takenApartMessage)
        }
        try self.perform(transition, in: db)
        try db.execute(sql: "UPDATE card SET delivery = NULL WHERE id = ?", arguments: [card.rawValue])
    }

    /// The code of an attempt that was cut off because a member was erased.
    static let erasedCode = "erased"

    private static let takenApartMessage =
        "the backend may or may not hold this document, look there (another card of its delivery was erased)"

    // MARK: What it leaves

    private func certificate(
        for request: ErasureRequest,
        state: String,
        in db: Database
    ) throws -> ErasureCertificate {
        let id = request.card.rawValue
        let isUnderWay = try Bool.fetchOne(
            db,
            // Before it is prepared, nothing of it is sent anywhere.
            sql: "SELECT lease_owner IS NOT NULL AND state = 'prepared' FROM card WHERE id = ?",
            arguments: [id]
        )
        let verified = try FailureClass.all(of: ErasureSQL.verifierClasses, card: id, in: db)
        let delivered = try FailureClass.all(of: ErasureSQL.backendClasses, card: id, in: db)
        return ErasureCertificate(
            card: request.card,
            erasedAt: request.now,
            reason: request.reason,
            origin: request.origin,
            sourceFileCount: try Int.fetchOne(db, sql: ErasureSQL.sourceFileCount, arguments: [id]) ?? 0,
            verifier: .judging(verified, isDone: false, isUnderWay: isUnderWay ?? false),
            backend: .judging(delivered, isDone: state == CardState.delivered.rawValue, isUnderWay: false),
            deliveries: try Row.fetchAll(db, sql: ErasureSQL.deliveries, arguments: [id]).map { $0["id"] },
            exportCount: try Int.fetchOne(db, sql: ErasureSQL.exportCount, arguments: [id]) ?? 0
        )
    }

    /// Bytes of a card that lie in the file as they are, and belong to no other card.
    private func traces(of card: CardID, businessNumber: String, in db: Database) throws -> [Data] {
        var traces = try Data.fetchAll(db, sql: ErasureSQL.wrappedKey, arguments: [card.rawValue])
        let others = try Bool.fetchOne(
            db,
            sql: "SELECT EXISTS (SELECT 1 FROM card WHERE business_no = ? AND id <> ?)",
            arguments: [businessNumber, card.rawValue]
        )
        if others == false { traces.append(Data(businessNumber.utf8)) }
        let columns = ["expected_id_number", "expected_name", "holder_fingerprint"].joined(separator: ", ")
        if let row = try Row.fetchOne(db, sql: "SELECT \(columns) FROM card WHERE id = ?", arguments: [card.rawValue]) {
            traces += row.databaseValues.compactMap { Data.fromDatabaseValue($0) }
        }
        for sql in ErasureSQL.traces { traces += try Data.fetchAll(db, sql: sql, arguments: [card.rawValue]) }
        return traces
    }
}

extension FailureClass {
    fileprivate static func all(of sql: String, card: String, in db: Database) throws -> Set<FailureClass> {
        Set(try String.fetchAll(db, sql: sql, arguments: [card]).compactMap(FailureClass.init))
    }
}

extension ErasureCertificate.Remote {
    /// What a remote side may hold after attempts that ended in some classes.
    fileprivate static func judging(
        _ classes: Set<FailureClass>,
        isDone: Bool,
        isUnderWay: Bool
    ) -> ErasureCertificate.Remote {
        if isDone || classes.contains(.accepted) { return .holds }
        if isUnderWay || classes.contains(.unknown) || classes.contains(.transient) { return .mayHold }
        return classes.subtracting([.notSent]).isEmpty ? .notSent : .refused
    }
}
