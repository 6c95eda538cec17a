import CardEngine
import CardModel
import CardStore
import Foundation
import HTTPTypes
import Hummingbird

/// Takes photos in over the engine, and says what became of them: what forms, raw bodies and webhooks have in common.
struct Reception: Sendable {
    let ports: CardServer.Ports
    let configuration: CardServer.Configuration
    /// The bodies of all requests.
    let budget: ByteBudget

    /// Goes on if more may come in; asked before a body is read.
    ///
    /// - Throws: ``Problem``: `queue_full`, `disk_space_low`.
    func requireRoom() async throws {
        guard var problem = try await self.refusal() else { return }
        problem.endsConnection = true
        throw problem
    }

    /// Why nothing more is taken in; `nil` if it is.
    func refusal() async throws -> Problem? {
        if self.ports.store.freeBytes < self.configuration.intakeFreeSpace {
            return Problem(.diskSpaceLow, retryAfter: .seconds(60))
        }
        return try await self.ports.isFull() ? Problem(.queueFull, retryAfter: .seconds(5)) : nil
    }

    /// An empty image whose bytes count against the budget.
    func image(_ claim: ByteClaim) -> ImageBytes {
        ImageBytes(limit: self.configuration.imageBytes, claim: claim, refusal: self.ports.imageRefusal)
    }

    /// Takes a photo in, and answers once it is durable.
    ///
    /// - Throws: ``Problem``: `card_underway`, or `idempotency_key_reused` or `webhook_id_reused`; `CodedError`.
    func take(
        _ content: Admission.Content,
        metadata: CardMetadata,
        submitter: String,
        source: ContentDigest?,
        receipt: Receipt?
    ) async throws -> Response {
        let outcome: AdmissionOutcome
        do {
            outcome = try await self.ports.engine.receive(
                content,
                // What a sender calls the image is not used.
                name: Redacted("request"),
                metadata: metadata,
                submitter: submitter,
                source: source,
                receipt: receipt
            )
        } catch let error as CodedError {
            throw Self.problem(of: error, receipt: receipt)
        }
        return try await self.answer(to: outcome, metadata: metadata, submitter: submitter)
    }

    /// Returns the answer that a request got before; `nil` if it is new.
    ///
    /// - Throws: ``Problem``: `webhook_id_reused`; `CodedError`.
    func answer(before receipt: Receipt, from submitter: String) async throws -> Response? {
        do {
            return try await self.ports.store.outcome(of: receipt, from: submitter).map(Self.response)
        } catch let error as CodedError {
            throw Self.problem(of: error, receipt: receipt)
        }
    }

    private static func problem(of error: CodedError, receipt: Receipt?) -> any Error {
        guard error.code == .requestReused, let receipt else { return error }
        return Problem(receipt.kind == .webhook ? .webhookReused : .keyReused)
    }

    private func answer(to outcome: AdmissionOutcome, metadata: CardMetadata, submitter: String) async throws
        -> Response
    {
        // Who repeats a request gets its answer, whatever others have said since.
        guard outcome.isDuplicate, !outcome.isReplay,
            let card = try await self.ports.store.cards([outcome.card]).first,
            card.state != .erased, card.submitter == submitter,
            card.metadata.takingOver(metadata) != card.metadata
        else { return Self.response(outcome) }
        var problem = Problem(.cardUnderway, "It is the card \(card.id), which is \(card.state.rawValue).")
        problem.headers[.location] = "/v1/cards/\(card.id)"
        throw problem
    }

    private struct Answer: Encodable {
        let cardID: CardID
        let state: CardState
        /// Whether the same image was there already.
        let duplicate: Bool
    }

    private static func response(_ outcome: AdmissionOutcome) -> Response {
        var headers: HTTPFields = [.location: "/v1/cards/\(outcome.card)"]
        if outcome.isReplay { headers[.idempotentReplayed] = "true" }
        let isDuplicate = outcome.isDuplicate && !outcome.isReplay
        return JSONAnswer.response(
            Answer(cardID: outcome.card, state: outcome.state, duplicate: isDuplicate),
            status: .accepted,
            headers: headers
        )
    }
}
