import Foundation
import IDCardCore
import IDCardPipeline
import IDCardTesting
import Testing

extension PipelineHarness {
    /// A reception of the bytes of a photo.
    func reception(_ text: String, number: String = "B-1", receipt: Receipt? = nil) async throws -> Reception {
        let spool = try self.store.makeSpool()
        try await spool.append(Data(text.utf8))
        return Reception(
            metadata: CardMetadata(businessNumber: try #require(BusinessNumber(number))),
            source: .bytes(try await spool.finish()),
            receipt: receipt
        )
    }

    /// A reception of the address of a photo.
    func address(_ url: String, number: String = "B-1") throws -> Reception {
        Reception(
            metadata: CardMetadata(businessNumber: try #require(BusinessNumber(number))),
            source: .address(ImageAddress(url))
        )
    }

    /// Runs a service for as long as a function works with it, then asks for its end.
    func serve<Value: Sendable>(
        _ engine: Engine? = nil,
        while body: (Engine) async throws -> Value
    ) async throws -> Value {
        let engine = engine ?? self.engine()
        let shutdown = Shutdown()
        async let service: Void = engine.runService(until: shutdown)
        do {
            let value = try await body(engine)
            shutdown.request()
            try await service
            return value
        } catch {
            shutdown.request()
            throw error
        }
    }

    /// Waits until a card enters a state; one waiter at a time.
    @discardableResult
    func reached(_ state: CardState) async -> Card? {
        let event = await self.log.first { if case .cardChanged(let card) = $0 { card.state == state } else { false } }
        guard case .cardChanged(let card) = event else { return nil }
        return card
    }
}
