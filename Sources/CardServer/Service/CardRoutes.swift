import CardEngine
import CardModel
import CardStore
import HTTPTypes
import Hummingbird
import NIOCore

/// Shows cards and cases, and stores the decisions of people about cards.
struct CardRoutes: Sendable {
    let ports: CardServer.Ports
    /// How often a subject may see personal values.
    var reveals = RateLimit(Limits.reveals)

    // MARK: Showing

    /// `GET /v1/cards`.
    func list(_ request: Request, context: ServerContext, caller: Caller) async throws -> Response {
        let names: Set = ["state", "business_no", "reason", "attention", "limit", "cursor", "changed_since"]
        let parameters = try QueryParameters(request.uri, known: names)
        var filter = CardFilter()
        filter.states = try parameters.choices("state")
        filter.number = try parameters.businessNumber()
        filter.reason = try parameters.single("reason")
        filter.attention = try parameters.choices("attention")
        let limit = try parameters.pageSize()
        if let since = try parameters.single("changed_since") {
            return try await self.changes(filter, since: since, limit: limit, parameters, caller: caller)
        }
        // The intake order of the last card of the page before; it has no meaning for a client.
        let order = try parameters.single("cursor", else: .requestCursor) {
            $0.wholeMatch(of: /i([0-9]{1,18})/).flatMap { Int64($0.1) }
        }
        let page = try await self.ports.store.listings.cards(filter, after: order, limit: limit, for: caller)
        var next: String?
        // The store returns at most one page, so a second query tells whether more cards follow.
        if page.count == limit, let last = page.last,
            try await !self.ports.store.listings.cards(filter, after: last.order, limit: 1, for: caller).isEmpty
        {
            next = "i\(last.order)"
        }
        let answer: JSONObject = ["cards": page, "next_cursor": next]
        return Response(json: answer)
    }

    /// The cards that have changed since an earlier answer.
    private func changes(
        _ filter: CardFilter,
        since text: String,
        limit: Int,
        _ parameters: QueryParameters,
        caller: Caller
    ) async throws -> Response {
        guard let event = text.wholeMatch(of: /[0-9]{1,18}/).flatMap({ Int64($0.output) }),
            parameters.all("cursor").isEmpty
        else { throw Problem(.parameterInvalid, .requestChangedSince) }
        let changes = try await self.ports.store.listings.changes(filter, since: event, limit: limit, for: caller)
        let answer: JSONObject = [
            "cards": changes.cards, "changed_since": "\(changes.last)", "has_more": changes.hasMore,
        ]
        return Response(json: answer)
    }

    /// `GET /v1/cases`.
    func listCases(_ request: Request, context: ServerContext, caller: Caller) async throws -> Response {
        let parameters = try QueryParameters(
            request.uri,
            known: ["state", "business_no", "cause", "mine", "to_bring", "limit", "cursor"]
        )
        let filter = try parameters.caseFilter(for: caller)
        let limit = try parameters.pageSize()
        let last = try parameters.single("cursor", else: .requestCursor, as: CaseCursor.init)
        let page = try await self.ports.store.listings.cases(filter, after: last, limit: limit, for: caller)
        let answer: JSONObject = ["cases": page.cases, "next_cursor": page.next?.text]
        return Response(json: answer)
    }

    /// `GET /v1/cards/{card_id}`: without personal values unless `reveal=true`.
    func show(_ request: Request, context: ServerContext, caller: Caller) async throws -> Response {
        let reveals = try QueryParameters(request.uri, known: ["reveal"]).flag("reveal")
        // An invalid purpose is refused even where none is needed.
        let why = try Self.why(request)
        let origin = try Self.origin("GET /v1/cards/{card_id}", caller: caller, why: why)
        let id = Self.card(context)
        let details =
            reveals
            ? try await self.reveal(id, to: origin, hasPurpose: why?.trimmed.isEmpty == false)
            : try await self.ports.store.listings.details(of: id, for: caller)
        return Response(json: details)
    }

    /// `GET /v1/cards/{card_id}/image`: the prepared image.
    func image(_ request: Request, context: ServerContext, caller: Caller) async throws -> Response {
        let why = try Self.why(request)
        let origin = try Self.origin("GET /v1/cards/{card_id}/image", caller: caller, why: why)
        let details = try await self.reveal(Self.card(context), to: origin, hasPurpose: why?.trimmed.isEmpty == false)
        guard let image = details.image else { throw Problem(.imageGone) }
        return Response(ByteBuffer(bytes: image), details.imageType)
    }

    /// Returns the personal values of a card; the access log records each reveal and each refusal.
    func reveal(_ id: CardID, to origin: AccessOrigin, hasPurpose: Bool) async throws -> CardDetails {
        if let caller = origin.caller, caller.has(AccessAction.reveal.scopes) {
            guard hasPurpose else { throw Problem(.fieldInvalid, .requestRevealWhy) }
            let isRateLimited = !caller.scopes.contains(.operate)
            if isRateLimited, let wait = self.reveals.count(caller.subject, at: ConnectionGuard.now).wait {
                try await self.ports.store.decisions.logDenied(id, to: origin, now: self.ports.now())
                throw Problem(.rateLimited, .requestReveals(Limits.reveals.quota), retryAfter: wait)
            }
        }
        return try await self.ports.store.listings.reveal(id, to: origin, now: self.ports.now())
    }

    /// Whether a caller has reveals left in its quota.
    func hasReveals(_ caller: Caller) -> Bool {
        caller.scopes.contains(.operate) || self.reveals.isFree(caller.subject, at: ConnectionGuard.now)
    }

    // MARK: Deciding

    /// `POST /v1/cards/{card_id}/retry`.
    func retry(_ request: Request, context: ServerContext, caller: Caller) async throws -> Response {
        let texts = try await StrictJSON.texts(of: request, context: context, known: ["why"], isOptional: true)
        let id = Self.card(context)
        let origin = try Self.origin("POST /v1/cards/{card_id}/retry", caller: caller, why: texts["why"])
        let outcome = try await self.ports.store.decisions.decide(id, .retry, by: origin, now: self.ports.now())
        return try await self.answer(outcome, about: id, to: caller)
    }

    /// `POST /v1/cards/{card_id}/resolve`.
    func resolve(_ request: Request, context: ServerContext, caller: Caller) async throws -> Response {
        let texts = try await StrictJSON.texts(
            of: request,
            context: context,
            known: ["as", "reason", "message", "why"]
        )
        guard let resolution = texts["as"].flatMap(Resolution.init(rawValue:)) else {
            throw Problem(.fieldInvalid, .requestResolution(Resolution.known))
        }
        let reason = texts["reason"].flatMap(RetakeReason.init(rawValue:))
        guard (resolution == .retake) == (texts["reason"] != nil), texts["reason"] == nil || reason != nil else {
            throw Problem(
                .fieldInvalid,
                .requestRetakeReason(RetakeReason.known)
            )
        }
        let action = "POST /v1/cards/{card_id}/resolve as \(resolution.rawValue)"
        let id = Self.card(context)
        let origin = try Self.origin(action, caller: caller, why: texts["why"])
        let outcome = try await self.ports.store.decisions.resolve(
            id,
            as: resolution,
            because: reason,
            saying: texts["message"].map { Redacted(String($0.prefix(Limits.textBytes))) },
            by: origin,
            now: self.ports.now()
        )
        return try await self.answer(outcome, about: id, to: caller)
    }

    /// `POST /v1/review/four-eyes/{action}/drop`: agrees to the drop that another person asked for by command.
    func dropFourEyes(_ request: Request, context: ServerContext, caller: Caller) async throws -> Response {
        let texts = try await StrictJSON.texts(of: request, context: context, known: ["why"], isOptional: true)
        let named = context.parameters.get("action")
        guard let action = DecisionAction.listed.first(where: { $0.rawValue == named }) else {
            let known = DecisionAction.listed.map(\.rawValue).joined(separator: ", ")
            throw Problem(.fieldInvalid, .requestFourEyesAction(known))
        }
        let path = "POST /v1/review/four-eyes/\(action)/drop"
        let (store, origin) = (self.ports.store, try Self.origin(path, caller: caller, why: texts["why"]))
        let outcome = try await store.decisions.dropFourEyes(
            action,
            confirming: true,
            by: origin,
            now: self.ports.now()
        )
        if case .waits(let until) = outcome { throw Problem(.changeRefused, .requestOwnDrop(action, until)) }
        return Response(json: ["four_eyes": try await store.decisions.fourEyes().map(\.action)])
    }

    /// `DELETE /v1/cards/{card_id}`: answers with the certificate; a repetition gets the same one.
    func erase(_ request: Request, context: ServerContext, caller: Caller) async throws -> Response {
        let origin = try Self.origin("DELETE /v1/cards/{card_id}", caller: caller, why: try Self.why(request))
        let given = try Self.single(.reason, of: request)
        guard let reason = given.map(ReasonCode.init(given:)) ?? .requested else {
            throw Problem(.fieldInvalid, .requestReason)
        }
        let id = Self.card(context)
        let outcome = try await self.ports.store.upkeep.erase([id], because: reason, by: origin, now: self.ports.now())
        if let refusal = outcome.refused.first { throw refusal }
        guard let certificate = outcome.certificates.first else {
            return try await self.answer(.waitsForSecond, about: id, to: caller)
        }
        // Other cards of the number may have waited for the erased card.
        self.ports.engine.wake()
        return Response(json: certificate)
    }

    /// Has the decision carried out at once, unless it waits for a second person, and returns the cards that it changed.
    private func answer(_ outcome: DecisionOutcome, about id: CardID, to caller: Caller) async throws -> Response {
        let listings = self.ports.store.listings
        let changed = outcome.changes.map(\.card)
        let cards = try await listings.cards(changed.isEmpty ? [id] : changed, for: caller)
        let number = try await listings.cards([id], for: caller).first?.metadata.businessNumber
        var state: String?
        if let number { state = try await listings.oneCase(number, for: caller)?.state.rawValue }
        guard outcome != .waitsForSecond else {
            let answer: JSONObject = ["cards": cards, "case": state, "waits_for": "second_person"]
            return Response(json: answer, status: .accepted)
        }
        self.ports.engine.wake()
        // Another person has decided the same on a page, where the decision can be withdrawn until this time.
        let until: String? = if case .undoable(let time) = outcome { time.description } else { nil }
        let answer: JSONObject = ["cards": cards, "case": state, "until": until]
        return Response(json: answer)
    }

    // MARK: Reading requests

    /// The card that the path names; the store checks whether there is one.
    static func card(_ context: ServerContext) -> CardID {
        CardID(rawValue: String((context.parameters.get("card_id") ?? "").prefix(64)))
    }

    static func origin(_ action: String, caller: Caller, why: String?) throws -> AccessOrigin {
        if let why, why.count > Limits.purposeCharacters {
            throw Problem(.fieldInvalid, .requestWhyLength(Limits.purposeCharacters))
        }
        return try AccessOrigin(caller, actor: "token:\(caller.subject) \(action)", purpose: why)
    }

    private static func single(_ name: HTTPField.Name, of request: Request) throws -> String? {
        let values = request.headers[values: name]
        guard values.count <= 1 else { throw Problem(.fieldDuplicate, .requestGivenTwice(name.rawName)) }
        return values.first
    }

    private static func why(_ request: Request) throws -> String? {
        try self.single(.why, of: request).map { try HeaderText.decode($0, of: .why) }
    }
}
