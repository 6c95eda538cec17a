import Foundation
import IDCardCore
import IDCardPipeline

@testable import IDCardSandbox

/// Ways to cards without an image.
extension SandboxStore {
    /// Receives bytes as a card; its business number is of its own.
    @discardableResult
    func receive(_ bytes: Data, as card: String, receipt: Receipt? = nil) async throws -> ReceptionOutcome {
        let spool = try self.makeSpool()
        try await spool.append(bytes)
        let source = Reception.Source.bytes(try await spool.finish())
        return try await self.receive(
            Reception(metadata: try Self.metadata(of: card), source: source, receipt: receipt),
            as: CardID(rawValue: card),
            now: .second(1)
        )
    }

    /// Receives an address as a card, and keeps some first bytes of its image.
    func beginFetching(_ bytes: Data, as card: String, url: String = "https://images.example/1") async throws {
        let reception = Reception(metadata: try Self.metadata(of: card), source: .address(ImageAddress(url)))
        _ = try await self.receive(reception, as: CardID(rawValue: card), now: .second(1))
        _ = try await self.claimFetching(limit: 9, until: .second(99), now: .second(2))
        let version = FetchedVersion(validator: "\"etag-canary\"", byteCount: bytes.count + 1000)
        try await self.keep(bytes, at: 0, of: CardID(rawValue: card), version: version)
        try await self.releaseLeases()
    }

    private static func metadata(of card: String) throws -> CardMetadata {
        guard let number = BusinessNumber("OF-\(card)") else { throw StoreError(.corrupt, "sample") }
        return CardMetadata(businessNumber: number, userNumber: Redacted("user-1"))
    }
}

extension Data {
    /// Bytes no part of which repeats another, different for every number.
    static func noise(_ number: Int, _ byteCount: Int) -> Data {
        var state = UInt64(number) &* 0x9E37_79B9_7F4A_7C15 | 1
        return Data(
            (0..<byteCount).map { _ in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return UInt8(truncatingIfNeeded: state >> 56)
            }
        )
    }
}

extension Receipt {
    static func sample(_ name: String = "message-canary") -> Receipt {
        Receipt(scope: .webhook, name: name, request: ContentDigest(of: Data("request".utf8)))
    }
}
