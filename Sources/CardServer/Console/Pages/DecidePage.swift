import CardEngine
import CardModel
import CardStore

extension Console {
    /// `POST /console/cards/{card_id}/decide`: stores the decision, which is carried out after ten seconds.
    func decide(_ visit: ConsoleRequest) async throws -> Reply {
        let form = try await visit.form(["action", "reason", "sure", "seen", "effect", "message", "tab"])
        let (store, now, tab) = (self.ports.store, self.ports.now(), form["tab"])
        let (typed, origin) = (form["message"], try visit.origin(doing: " as \(form["action"] ?? "")"))
        do {
            if try await self.decide(form, of: visit, by: origin, now: now) == .waitsForSecond {
                self.setOutcome(.pageWaitsForSecond, for: visit)
            }
        } catch let error as CodedError where error.kind == .conflict {
            return .page(try await self.stalePage(visit, error, typed: typed, tab: tab))
        }
        guard let tab else { return .redirect(.card(visit.card)) }
        if try await store.decisions.claimed(tab: tab, by: visit.caller, now: now, extending: true).isEmpty {
            let skipped = visit.session?.value.skipped ?? []
            _ = try await store.decisions.claimNext(tab: tab, skipping: skipped, by: origin, now: now)
        }
        return .redirect(.review(tab: tab))
    }

    private func decide(
        _ form: [String: String],
        of visit: ConsoleRequest,
        by origin: AccessOrigin,
        now: Timestamp
    ) async throws -> DecisionOutcome {
        let decisions = self.ports.store.decisions
        let text = form["message"].map { Redacted(String($0.prefix(Limits.textBytes))) }
        guard let seen = form["seen"].flatMap(Int64.init) else { throw Problem(.fieldInvalid) }
        if let resolution = form["action"].flatMap(Resolution.init), [.disagree, .withdraw].contains(resolution) {
            return try await decisions.resolve(visit.card, as: resolution, saying: text, by: origin, now: now)
        }
        guard let action = form["action"].flatMap(DecisionAction.init(rawValue:)) else { throw Problem(.fieldInvalid) }
        let card = try await self.ports.store.listings.details(of: visit.card, for: visit.caller).card
        let reason = form["reason"].flatMap(RetakeReason.init(rawValue:))
        let effect = form["effect"].flatMap(Int.init).flatMap(RejectEffect.init)
        guard action != .reject || effect != nil else { throw Problem(.fieldInvalid) }
        let asks = ReviewAction(action, about: card)?.asks
        let lacksText = text == nil && (action == .reject || reason == .other)
        // A page that showed the smallest effect had no box; the decision is refused if the effect is larger by now.
        let hasBox = asks == .confirmation || asks == .confirmedText && effect != .holder
        let lacksWord = hasBox && form["sure"] != "yes"
        guard !lacksText, !lacksWord else {
            throw Problem(.fieldInvalid, lacksText ? .pageWordsMissing : .pageBoxMissing)
        }
        return try await decisions.decide(
            visit.card,
            action,
            because: reason,
            seen: seen,
            message: text,
            effect: effect,
            undoableIn: self.ports.engine.worker,
            mayLook: visit.mayReveal(card.submitter),
            by: origin,
            now: now
        )
    }

    /// The current state of the card, with the events since the form was shown and the text that the person had written.
    private func stalePage(_ visit: ConsoleRequest, _ error: CodedError, typed: String?, tab: String?) async throws
        -> ConsolePage
    {
        let store = self.ports.store
        var page: ConsolePage
        if let tab {
            let cards = try await store.decisions.claimed(
                tab: tab,
                by: visit.caller,
                now: self.ports.now(),
                extending: false
            )
            page = try await self.reviewPage(visit, tab: tab, cards: cards, typed: typed.map { (visit.card, $0) })
        } else {
            var view = CardView(try await store.listings.details(of: visit.card, for: visit.caller), for: visit)
            view.typed = typed
            page = ConsolePage(.pageCard, in: .cards, view.body)
        }
        page.outcome = error.message
        page.refusal = (Problem(.changeRefused), error)
        return page
    }

    // MARK: Outcomes for the next page

    /// Stores an outcome for the page that the browser is redirected to.
    func setOutcome(_ outcome: Message, for visit: ConsoleRequest) { self.change(visit) { $0.outcome = outcome } }

    /// The outcome of the last form, else the decisions of this person that were not carried out: shown once.
    func outcome(for visit: ConsoleRequest) async throws -> Message? {
        if let outcome = self.change(visit, { $0.outcome.take() }) ?? nil { return outcome }
        guard visit.session != nil, visit.isUse, visit.caller.has([.review]) else { return nil }
        let cards = try await self.ports.store.decisions.dropped(of: visit.caller, now: self.ports.now()).map(\.card)
        return cards.isEmpty ? nil : .pageDropped(cards)
    }
}
