package import CardModel
package import Foundation

/// A verification service that answers as a test says.
package struct ClosureVerifier: Verifier {
    package let provider = "test"
    package let parameters = ""
    package let endpoint = "verifier:443"
    package var terms = Redacted("terms")
    private let answer: @Sendable (PreparedImage) async throws -> VerificationOutcome

    package init(_ answer: @escaping @Sendable (PreparedImage) async throws -> VerificationOutcome) {
        self.answer = answer
    }

    package func reload() {}

    package func verify(_ image: PreparedImage) async throws -> VerificationOutcome { try await self.answer(image) }
}

/// A business backend that answers as a test says, for a TOKEN that the test may change.
package struct ClosureBackend: Backend {
    package let endpoint = "backend:443"
    package var terms = Redacted("terms")
    package let body = DeliveryBody.multipart
    /// The parts before the images.
    package var first: @Sendable () -> [DeliveryPart] = { [] }
    package var answer: @Sendable (OutboundDelivery) async throws -> DeliveryOutcome
    package var refresh: @Sendable ([DeliveryPart]) async -> Bool = { _ in false }

    package init(_ answer: @escaping @Sendable (OutboundDelivery) async throws -> DeliveryOutcome) {
        self.answer = answer
    }

    package func reload() {}

    package func parts(for members: [DeliveryMember]) -> [DeliveryPart] {
        self.first()
            + members.map { .image(of: $0.card, name: "FILE", filename: "f.jpg", contentType: "image/jpeg") }
    }

    package func boundary(for key: String, parts: [DeliveryPart], images: [CardID: Data]) -> String {
        "boundary-\(key)"
    }

    package func send(_ delivery: OutboundDelivery, progress: ByteProgress?) async throws -> DeliveryOutcome {
        progress?(10, 10)
        return try await self.answer(delivery)
    }

    package func token(in parts: [DeliveryPart]) -> Redacted<String>? {
        guard case .text(let token) = parts.first(where: { $0.name == "TOKEN" })?.content else { return nil }
        return token
    }

    package func refreshToken(staleIn parts: [DeliveryPart]) async -> Bool { await self.refresh(parts) }
}

/// Images by URL, as a test says; an address without a host is forbidden.
package struct ClosureFetcher: Fetcher {
    private let answer: @Sendable (FetchRequest, @escaping StorePiece) async throws -> FetchOutcome

    package init(_ answer: @escaping @Sendable (FetchRequest, @escaping StorePiece) async throws -> FetchOutcome) {
        self.answer = answer
    }

    package func reload() {}

    package func host(of address: Redacted<String>) throws(CodedError) -> String {
        guard let host = URL(string: address.reveal())?.host() else {
            throw CodedError(ReasonCode(rawValue: "fetch_host_refused"), .input, "the host is not listed")
        }
        return host
    }

    package func fetch(_ request: FetchRequest, store: @escaping StorePiece) async throws -> FetchOutcome {
        try await self.answer(request, store)
    }
}

extension RemoteFailure {
    /// A failure as remote sides give it: after a stop about the request the backend may have the card, unless its own code says
    /// no.
    package static func specimen(
        _ failureClass: FailureClass,
        code: String = "CODE",
        scope: StopScope = .account,
        isUnlisted: Bool = false,
        mayBeApplied: Bool? = nil
    ) -> RemoteFailure {
        var failure = RemoteFailure(failureClass, code: code, message: "it failed", stopScope: scope)
        if isUnlisted { failure.unlistedCode = Redacted([code]) }
        failure.mayBeApplied =
            mayBeApplied ?? (failureClass == .unknown || failureClass == .stop && scope == .request)
        return failure
    }
}
