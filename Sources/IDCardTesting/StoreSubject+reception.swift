import Foundation
import IDCardCore
import IDCardPipeline

// Short ways to a card without an image.
extension StoreSubject {
    /// Spools bytes as a server does, in uneven parts.
    func spool(_ bytes: Data) async throws -> any SpooledSource {
        let spool = try self.store.makeSpool()
        var rest = bytes
        while !rest.isEmpty {
            try await spool.append(Data(rest.prefix(70_001)))
            rest = Data(rest.dropFirst(70_001))
        }
        return try await spool.finish()
    }

    /// Receives bytes as a card that must be new.
    @discardableResult
    func receive(_ number: Int, _ reception: Reception, at now: Timestamp = .second(0)) async throws -> Card {
        let outcome = try await self.store.receive(reception, as: .numbered(number), now: now)
        guard case .admitted(let card) = outcome else {
            throw ConformanceFailure(message: "the card counts as known: \(outcome)", location: "receive")
        }
        return card
    }

    /// A reception of bytes.
    func bytes(_ bytes: Data, _ metadata: CardMetadata? = nil, receipt: Receipt? = nil) async throws -> Reception {
        Reception(metadata: try metadata ?? .sample(), source: .bytes(try await self.spool(bytes)), receipt: receipt)
    }

    /// Claims the `received` card; it must be the only one that is due.
    func claimReceived(_ number: Int, at now: Timestamp = .second(1)) async throws {
        let claimed = try await self.store.claimReceived(limit: 9, until: .second(1000), now: now)
        try expectEqual(claimed.map(\.id), [.numbered(number)], "claimed cards")
    }

    /// Claims the `fetching` card; it must be the only one that is due.
    @discardableResult
    func claimFetching(_ number: Int, at now: Timestamp = .second(1)) async throws -> FetchJob {
        let claimed = try await self.store.claimFetching(limit: 9, until: .second(1000), now: now)
        try expectEqual(claimed.map(\.card.id), [.numbered(number)], "claimed cards")
        return claimed[0]
    }

    /// Receives an address, claims the card and keeps all its bytes.
    func fetch(_ number: Int, _ bytes: Data, metadata: CardMetadata? = nil) async throws {
        try await self.receive(number, .address(number, metadata))
        try await self.claimFetching(number)
        try await self.store.keep(bytes, at: 0, of: .numbered(number), version: .sample(bytes.count))
    }

    /// Reads all source bytes of a card, as the engine does.
    func source(of number: Int) async throws -> Data {
        var source = Data()
        while true {
            let piece = try await self.store.source(of: .numbered(number), at: source.count)
            guard !piece.isEmpty else { return source }
            try expect(piece.count <= 1 << 20, "a read returns at most 1 MiB")
            source.append(piece)
        }
    }

    /// The kinds of events of a card.
    func events(of number: Int) async throws -> [String] {
        try await self.store.details(of: .numbered(number))?.events.map(\.kind) ?? []
    }
}

extension CardID {
    static func numbered(_ number: Int) -> CardID { CardID(rawValue: "card-\(number)") }
}

extension CardMetadata {
    static func sample(_ number: String = "CASE-1", priority: Int = 0) throws -> CardMetadata {
        CardMetadata(businessNumber: try .sample(number), userNumber: Redacted("user-1"), priority: priority)
    }
}

extension Reception {
    /// A reception of an address.
    static func address(
        _ number: Int,
        _ metadata: CardMetadata? = nil,
        receipt: Receipt? = nil,
        place: FileIdentity? = nil,
        order: Int64? = nil
    ) throws -> Reception {
        Reception(
            metadata: try metadata ?? .sample(),
            source: .address(ImageAddress("https://images.example/\(number)?signature=secret")),
            receipt: receipt,
            place: place,
            intakeOrder: order
        )
    }
}

extension Receipt {
    static func sample(
        _ name: String = "message-1",
        scope: Scope = .webhook,
        request: String = "request 1"
    ) -> Receipt {
        Receipt(scope: scope, name: name, request: .sample(request))
    }
}

extension FetchedVersion {
    static func sample(_ byteCount: Int?, validator: String? = "\"v1\"") -> FetchedVersion {
        FetchedVersion(validator: validator, byteCount: byteCount)
    }
}

extension Data {
    /// Bytes that no decoder sees, different for every number; no part of them repeats another.
    static func source(_ number: Int, _ byteCount: Int) -> Data {
        var state = UInt64(number) &* 0x9E37_79B9_7F4A_7C15 | 1
        return Data(
            (0..<byteCount).map { _ in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return UInt8(truncatingIfNeeded: state >> 56)
            }
        )
    }
}
