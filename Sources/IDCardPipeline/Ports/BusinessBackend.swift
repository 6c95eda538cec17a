package import Foundation
package import IDCardCore

/// The business backend as the engine sees it.
package struct BusinessBackend: Sendable {
    /// How cards are joined into deliveries.
    package var grouping: DeliveryGrouping
    /// The user account of cards that name none, if there is one.
    package var defaultUserNumber: Redacted<String>?
    /// The host that is called, with its port: what it asks for holds for every process that calls it.
    package var host: String
    /// Writes the form of some cards, with the TOKEN as it is now; throws `RemoteFailure` if it cannot be written (no TOKEN, no user number).
    package var form: @Sendable (_ members: [DeliveryMember]) async throws -> [DeliveryPart]
    /// Derives a boundary from an idempotency key and proves it absent from the parts.
    package var boundary:
        @Sendable (_ key: String, _ parts: [DeliveryPart], _ images: [CardID: Data]) async throws -> String
    /// Sends a persisted delivery and returns what became of it; throws only `CancellationError`.
    package var send: @Sendable (_ delivery: OutboundDelivery) async throws -> DeliveryOutcome
    /// Reads the TOKEN from its source again; `true` if it is another one than a form was written with.
    package var hasNewToken: @Sendable (_ parts: [DeliveryPart]) async -> Bool
    /// Whether forms are written with another TOKEN by now than a form was; runs no command to find out.
    package var usesOtherToken: @Sendable (_ parts: [DeliveryPart]) async -> Bool

    /// Describes a backend.
    package init(
        grouping: DeliveryGrouping = .single,
        defaultUserNumber: Redacted<String>? = nil,
        host: String = "backend",
        form: @escaping @Sendable (_ members: [DeliveryMember]) async throws -> [DeliveryPart],
        boundary:
            @escaping @Sendable (_ key: String, _ parts: [DeliveryPart], _ images: [CardID: Data]) async throws ->
            String,
        send: @escaping @Sendable (_ delivery: OutboundDelivery) async throws -> DeliveryOutcome,
        hasNewToken: @escaping @Sendable (_ parts: [DeliveryPart]) async -> Bool,
        usesOtherToken: (@Sendable (_ parts: [DeliveryPart]) async -> Bool)? = nil
    ) {
        self.grouping = grouping
        self.defaultUserNumber = defaultUserNumber
        self.host = host
        self.form = form
        self.boundary = boundary
        self.send = send
        self.hasNewToken = hasNewToken
        self.usesOtherToken = usesOtherToken ?? hasNewToken
    }
}
