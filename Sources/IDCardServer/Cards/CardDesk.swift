import Foundation
import HTTPTypes
import Hummingbird
import IDCardCore
import IDCardPipeline

/// Shows cards, and does with them what a person decides.
struct CardDesk: Sendable {
    private struct Page: Encodable {
        let cards: [CardDocument]
        let nextCursor: String?

        enum CodingKeys: String, CodingKey {
            case cards
            case nextCursor = "next_cursor"
        }
    }

    private struct Changed: Encodable {
        let cards: [CardDocument]
    }

    let ports: CardServer.Ports
    let limits: SubmissionLimits

    // MARK: Looking

    /// `GET /v1/cards`.
    func list(_ request: Request) async throws -> Response {
        var query = try CardListQuery(request).query
        let limit = query.limit
        // One more tells whether there is a next page.
        query.limit += 1
        let found = try await self.ports.cards.cards(matching: query)
        let page = found.prefix(limit)
        let next = found.count > limit ? page.last.map { CardCursor.text(after: $0.intakeOrder) } : nil
        return JSONAnswer.response(Page(cards: page.map(CardDocument.init), nextCursor: next))
    }

    /// `GET /v1/cards/{card_id}`: nothing personal unless `reveal=true`, which is written down first.
    ///
    /// - Parameter reveals: whether the caller may see what is personal.
    func show(_ request: Request, context: ServerContext, caller: TokenRecord) async throws -> Response {
        let reveal = try QueryParameters(request, known: ["reveal"]).flag("reveal")
        // Said wrongly is said wrongly, even where it is not needed.
        let why = try Self.why(request)
        let id = try await self.knownCard(context)
        if reveal {
            guard caller.scopes.contains(.operate) else {
                throw Problem(.scopeMissing, "The scope operate is needed to reveal what is personal.")
            }
            let origin = try Self.origin("GET /v1/cards/{card_id}", caller: caller, why: why)
            // If it cannot be written down, nothing is revealed.
            try await self.ports.cards.record(.show, of: id, by: origin, now: self.ports.now())
        }
        guard let details = try await self.ports.cards.details(of: id) else { throw Problem(.cardNotFound) }
        return JSONAnswer.response(CardDetailsDocument(details, reveal: reveal))
    }

    // MARK: Deciding

    /// `POST /v1/cards/{card_id}/retry`.
    func retry(_ request: Request, context: ServerContext, caller: TokenRecord) async throws -> Response {
        let decision = try await self.decision(request, context: context, needsResolution: false)
        let id = try await self.knownCard(context)
        let origin = try Self.origin("POST /v1/cards/{card_id}/retry", caller: caller, why: decision.why)
        let card = try await self.ports.cards.retry(id, by: origin, now: self.ports.now())
        self.ports.workChanged()
        return JSONAnswer.response(Changed(cards: [CardDocument(card)]))
    }

    /// `POST /v1/cards/{card_id}/resolve`.
    func resolve(_ request: Request, context: ServerContext, caller: TokenRecord) async throws -> Response {
        let decision = try await self.decision(request, context: context, needsResolution: true)
        guard let resolution = decision.resolution else { throw Problem(.jsonInvalid) }
        let id = try await self.knownCard(context)
        let action = "POST /v1/cards/{card_id}/resolve as \(resolution.rawValue)"
        let origin = try Self.origin(action, caller: caller, why: decision.why)
        let cards = try await self.ports.cards.resolve(id, as: resolution, by: origin, now: self.ports.now())
        self.ports.workChanged()
        return JSONAnswer.response(Changed(cards: cards.map(CardDocument.init)))
    }

    /// `DELETE /v1/cards/{card_id}`: answers with the certificate, and again with the same.
    func erase(_ request: Request, context: ServerContext, caller: TokenRecord) async throws -> Response {
        let why = try Self.why(request)
        let reason = try Self.reason(request)
        let id = try await self.knownCard(context)
        let origin = try Self.origin("DELETE /v1/cards/{card_id}", caller: caller, why: why)
        guard let certificate = try await self.ports.erase(id, reason, origin) else { throw Problem(.cardNotFound) }
        self.ports.workChanged()
        return JSONAnswer.response(certificate)
    }

    // MARK: Reading requests

    private func knownCard(_ context: ServerContext) async throws -> CardID {
        let name = context.parameters.get("card_id") ?? ""
        guard 1...64 ~= name.utf8.count, try await self.ports.cards.card(CardID(rawValue: name)) != nil else {
            throw Problem(.cardNotFound)
        }
        return CardID(rawValue: name)
    }

    private func decision(
        _ request: Request,
        context: ServerContext,
        needsResolution: Bool
    ) async throws -> CardDecision {
        let body = try await BodyReader(request: request, context: context, limit: self.limits.jsonBytes).collect()
        return try CardDecision.parse(body, contentType: request.headers[.contentType], needsAs: needsResolution)
    }

    private static func origin(_ action: String, caller: TokenRecord, why: String?) throws -> AccessOrigin {
        if let why, why.count > AccessOrigin.maximumLength {
            throw Problem(.fieldInvalid, "why has at most \(AccessOrigin.maximumLength) characters.")
        }
        return AccessOrigin(actor: "token:\(caller.name) \(action)", purpose: why)
    }

    private static func why(_ request: Request) throws -> String? {
        guard let value = try self.header(.why, of: request) else { return nil }
        guard let text = HeaderText.decode(value) else {
            throw Problem(.fieldInvalid, "Card-Why is UTF-8 with percent-encoding of what is not printable ASCII.")
        }
        return text
    }

    private static func reason(_ request: Request) throws -> ReasonCode {
        guard let code = try self.header(.reason, of: request) else { return .requested }
        let isCode = code.utf8.allSatisfy { byte in
            UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
                || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || byte == UInt8(ascii: "_")
        }
        guard isCode, 1...40 ~= code.utf8.count else {
            throw Problem(.fieldInvalid, "Card-Reason is a code of 1 to 40 letters, digits and _.")
        }
        return ReasonCode(rawValue: code)
    }

    private static func header(_ name: HTTPField.Name, of request: Request) throws -> String? {
        let values = request.headers[values: name]
        guard values.count <= 1 else { throw Problem(.fieldDuplicate, "\(name.rawName) is given once.") }
        return values.first
    }
}
