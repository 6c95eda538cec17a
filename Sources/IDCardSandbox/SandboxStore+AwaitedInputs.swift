import Foundation
import GRDB
package import IDCardCore
package import IDCardPipeline

extension SandboxStore {
    package func announce(_ inputs: [AwaitedInput], foundIn sources: Set<InputSource>, now: Timestamp) async throws {
        let owner = try self.owner
        let keys = inputs.map(self.key)
        let places = sources.map(self.fingerprint)
        try await self.writer.write { db in
            for place in places {
                for sql in AwaitedSQL.forgetSource {
                    try db.execute(cached: sql, arguments: ["source": place, "owner": owner])
                }
            }
            try db.execute(cached: AwaitedSQL.forgetEmptySources, arguments: ["owner": owner])
            try self.add(inputs, keys, by: owner, now: now, in: db)
        }
    }

    package func add(_ inputs: [AwaitedInput], now: Timestamp) async throws {
        guard !inputs.isEmpty else { return }
        let owner = try self.owner
        let keys = inputs.map(self.key)
        try await self.writer.write { try self.add(inputs, keys, by: owner, now: now, in: $0) }
    }

    package func end(_ inputs: [AwaitedInput]) async throws {
        let keys = inputs.map(self.key)
        let known = try await self.read { db in
            try keys.filter { try Bool.fetchOne(db, cached: AwaitedSQL.isKnown, arguments: $0.arguments) ?? false }
        }
        guard !known.isEmpty else { return }
        try await self.writer.write { db in
            for key in known { try db.execute(cached: AwaitedSQL.end, arguments: key.arguments) }
        }
    }

    package func hasCard(of input: AwaitedInput) async throws -> Bool {
        let place = self.fingerprint(ofPath: input.path, under: input.businessNumber)
        return try await self.read { try Bool.fetchOne($0, cached: AwaitedSQL.hasCard, arguments: [place]) ?? false }
    }

    package func awaitsInputs() async throws -> Bool {
        try await self.read { try Bool.fetchOne($0, cached: AwaitedSQL.any) ?? false }
    }

    package func awaitsInputs(of sources: Set<InputSource>) async throws -> Bool {
        let places = sources.map(self.fingerprint)
        return try await self.read { db in
            try places.contains { try Bool.fetchOne(db, cached: AwaitedSQL.anyOfSource, arguments: [$0]) ?? false }
        }
    }

    package func keepAwaiting(now: Timestamp) async throws {
        let owner = try self.owner
        let isNeeded = try await self.read { db in
            try Bool.fetchOne(db, cached: AwaitedSQL.hasInputs, arguments: [owner]) ?? false
        }
        guard isNeeded else { return }
        try await self.writer.write { db in
            try db.execute(cached: AwaitedSQL.beat, arguments: [now.millisecondsSinceEpoch, owner])
        }
    }

    package func applicationsAwaitingInputs() async throws -> [BusinessNumber] {
        try await self.read { db in
            let awaited = try Data.fetchSet(db, sql: AwaitedSQL.numbers)
            return try self.applicationsWithVerifiedCards(among: awaited, in: db)
        }
    }
}

// MARK: - Steps within one transaction

extension SandboxStore {
    /// What tells an input apart.
    private struct InputKey: Sendable {
        var number: Data
        var input: Data

        var arguments: StatementArguments { [self.number, self.input] }
    }

    private static let keyLength = 8

    private func key(of input: AwaitedInput) -> InputKey {
        let place = self.fingerprint(ofPath: input.path, under: input.businessNumber)
        return InputKey(number: self.fingerprint(of: input.businessNumber), input: place.prefix(Self.keyLength))
    }

    private func fingerprint(of number: BusinessNumber) -> Data {
        self.vault.fingerprint(Data(number.rawValue.utf8), purpose: Vault.Purpose.businessNumber).prefix(Self.keyLength)
    }

    private func fingerprint(of source: InputSource) -> Data {
        // No path holds a zero byte, so no two sources share an input.
        let text =
            switch source {
            case .listed(let path): "listed\0" + path.reveal()
            case .watched(let path): "watched\0" + path.reveal()
            case .named: "named"
            }
        return self.vault.fingerprint(Data(text.utf8), purpose: Vault.Purpose.path)
    }

    private func add(
        _ inputs: [AwaitedInput],
        _ keys: [InputKey],
        by owner: String,
        now: Timestamp,
        in db: Database
    ) throws {
        let isFirst = try Bool.fetchOne(db, cached: AwaitedSQL.any) == false
        var places: [InputSource: Int64] = [:]
        for (input, key) in zip(inputs, keys) {
            if places[input.source] == nil {
                places[input.source] = try Int64.fetchOne(
                    db,
                    cached: AwaitedSQL.keepSource,
                    arguments: [self.fingerprint(of: input.source), owner, now.millisecondsSinceEpoch]
                )
            }
            if !isFirst {
                try db.execute(
                    cached: AwaitedSQL.forgetInput,
                    arguments: ["number": key.number, "input": key.input, "owner": owner]
                )
            }
            try db.execute(
                cached: AwaitedSQL.keepInput,
                arguments: [key.number, key.input, places[input.source], input.isRefused]
            )
        }
    }

    /// Ends what is known of an input that became a card.
    ///
    /// - Parameter place: the fingerprint of its path and business number.
    func endAwaiting(_ place: Data, under number: BusinessNumber, in db: Database) throws {
        let key = InputKey(number: self.fingerprint(of: number), input: place.prefix(Self.keyLength))
        try db.execute(cached: AwaitedSQL.end, arguments: key.arguments)
    }

    /// What is awaited under a business number.
    func awaitedInputs(of number: BusinessNumber, in db: Database) throws -> AwaitedInputs {
        let rows = try Row.fetchAll(db, cached: AwaitedSQL.ofNumber, arguments: [self.fingerprint(of: number)])
        return rows.reduce(into: AwaitedInputs()) { awaited, row in
            let endedAt = (row["ended_at"] as Int64?).map(Timestamp.init(millisecondsSinceEpoch:))
            awaited.add(row["count"], isRefused: row["is_refused"], lastHeartbeat: endedAt)
        }
    }

    /// The business numbers with a `verified` card of which other living owners expect an input.
    func applicationsExpectedElsewhere(than owner: String, in db: Database) throws -> [BusinessNumber] {
        let awaited = try Data.fetchSet(db, sql: AwaitedSQL.expectedElsewhere, arguments: [owner])
        return try self.applicationsWithVerifiedCards(among: awaited, in: db)
    }

    private func applicationsWithVerifiedCards(among awaited: Set<Data>, in db: Database) throws -> [BusinessNumber] {
        guard !awaited.isEmpty else { return [] }
        return try String.fetchAll(db, cached: ApplicationSQL.withVerifiedCards).map(Self.businessNumber(_:))
            .filter { awaited.contains(self.fingerprint(of: $0)) }
    }
}
