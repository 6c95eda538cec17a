package import Foundation
package import IDCardCore
package import IDCardPipeline
import Synchronization

/// A business backend for tests: keeps a ledger by idempotency key, and lets a function disturb attempts.
package final class LedgerBackend: Sendable {
    /// What happens to one attempt.
    package enum Disturbance: Sendable {
        /// The document is taken and the answer arrives.
        case none
        /// The document is taken, and this is what the sender sees.
        case after(DeliveryOutcome)
        /// The document is not taken, and this is what the sender sees.
        case instead(DeliveryOutcome)
        /// The document is taken, and no answer ever comes.
        case afterThatSilence
        /// Nothing ever happens.
        case silence
    }

    /// One attempt as it arrived: everything that would be on the wire.
    package struct Attempt: Hashable, Sendable {
        /// The idempotency key.
        package var key: String
        /// The boundary.
        package var boundary: String
        /// The values of the text parts by name, in order of arrival.
        package var values: [String: String]
        /// The image; of several the last.
        package var image: Data
        /// The value of every text part, in order of arrival.
        package var texts: [String]
        /// Every image, in order of arrival.
        package var images: [Data]
    }

    private struct State {
        var attempts: [Attempt] = []
        var accepted: [Attempt] = []
        var token = "token-1"
        var inFlight = 0
        var mostInFlight = 0
    }

    private let state = Mutex(State())
    private let disturb: @Sendable (_ attempt: Attempt, _ number: Int) async throws -> Disturbance
    private let mayForm: @Sendable ([DeliveryMember]) throws -> Void
    private let grouping: DeliveryGrouping

    /// Makes a backend.
    ///
    /// - Parameters:
    ///   - grouping: how cards are joined into deliveries.
    ///   - disturb: decides over each attempt; the number counts all attempts from 1.
    ///   - mayForm: throws a `RemoteFailure` if a form cannot be written.
    package init(
        grouping: DeliveryGrouping = .single,
        _ disturb: @escaping @Sendable (_ attempt: Attempt, _ number: Int) async throws -> Disturbance = { _, _ in
            .none
        },
        mayForm: @escaping @Sendable ([DeliveryMember]) throws -> Void = { _ in }
    ) {
        self.grouping = grouping
        self.disturb = disturb
        self.mayForm = mayForm
    }

    /// Every attempt that arrived.
    package var attempts: [Attempt] { self.state.withLock { $0.attempts } }
    /// The documents taken, one per key.
    package var accepted: [Attempt] { self.state.withLock { $0.accepted } }
    /// The most attempts under way at one moment.
    package var mostInFlight: Int { self.state.withLock { $0.mostInFlight } }

    /// Gives out another TOKEN from now on.
    package func renewToken(_ token: String) {
        self.state.withLock { $0.token = token }
    }

    /// The backend as the engine sees it.
    package var port: BusinessBackend {
        BusinessBackend(
            grouping: self.grouping,
            form: { members in
                try self.mayForm(members)
                let token = self.state.withLock { $0.token }
                return members.flatMap { member -> [DeliveryPart] in
                    [
                        .text(token, name: "TOKEN"),
                        .text(member.businessNumber.rawValue, name: "BUSINESSNO"),
                        .text(member.side.rawValue, name: "DOCTYPE"),
                        .image(of: member.card, name: "FILE", filename: "image.jpg", contentType: "image/jpeg"),
                    ]
                }
            },
            boundary: { key, _, _ in "boundary-\(key)" },
            send: { delivery in try await self.receive(delivery) },
            hasNewToken: { parts in
                let current = self.state.withLock { $0.token }
                return !parts.contains(.text(current, name: "TOKEN"))
            }
        )
    }

    private func receive(_ delivery: OutboundDelivery) async throws -> DeliveryOutcome {
        let attempt = Attempt(delivery)
        let number = self.state.withLock { state in
            state.attempts.append(attempt)
            state.inFlight += 1
            state.mostInFlight = max(state.mostInFlight, state.inFlight)
            return state.attempts.count
        }
        defer { self.state.withLock { $0.inFlight -= 1 } }
        switch try await self.disturb(attempt, number) {
        case .none: return self.take(attempt)
        case .after(let outcome):
            _ = self.take(attempt)
            return outcome
        case .instead(let outcome): return outcome
        case .afterThatSilence:
            _ = self.take(attempt)
            return try await Self.waitForCancellation()
        case .silence: return try await Self.waitForCancellation()
        }
    }

    private static func waitForCancellation() async throws -> DeliveryOutcome {
        // A stream that nobody feeds ends when the task is cancelled.
        let (stream, continuation) = AsyncStream.makeStream(of: Never.self, bufferingPolicy: .bufferingNewest(1))
        for await _ in stream {}
        _ = continuation
        throw CancellationError()
    }

    private func take(_ attempt: Attempt) -> DeliveryOutcome {
        self.state.withLock { state in
            guard !state.accepted.contains(where: { $0.key == attempt.key }) else {
                return .accepted(alreadyExisted: true, code: "000000")
            }
            state.accepted.append(attempt)
            return .accepted(alreadyExisted: false, code: "000000")
        }
    }
}

extension LedgerBackend.Attempt {
    init(_ delivery: OutboundDelivery) {
        var values: [String: String] = [:]
        var texts: [String] = []
        var images: [Data] = []
        for part in delivery.parts {
            switch part.content {
            case .text(let value):
                values[part.name] = value.reveal()
                texts.append(value.reveal())
            case .image(let card, _, _): images.append(delivery.images[card] ?? Data())
            }
        }
        self.init(
            key: delivery.idempotencyKey,
            boundary: delivery.boundary,
            values: values,
            image: images.last ?? Data(),
            texts: texts,
            images: images
        )
    }
}
