import CardEngine
import CardModel
import CardStore

extension Console {
    /// `POST /console/cards/{card_id}/decide`: stores the decision, which is carried out after ten seconds.
    func decide(_ visit: ConsoleRequest) async throws -> Reply {
        let form = try await visit.form(["action", "reason", "seen", "message", "tab"])
        guard let action = form["action"].flatMap(DecisionAction.init(rawValue:)),
            let seen = form["seen"].flatMap(Int64.init)
        else { throw Problem(.fieldInvalid) }
        let (store, now, tab) = (self.ports.store, self.ports.now(), form["tab"])
        let (typed, origin) = (form["message"], try visit.origin(doing: " as \(action)"))
        let message = typed.map { Redacted(String($0.prefix(Limits.textBytes))) }
        do {
            let outcome = try await store.decisions.decide(
                visit.card,
                action,
                because: form["reason"].flatMap(RetakeReason.init(rawValue:)),
                seen: seen,
                message: message,
                undoableIn: self.ports.engine.worker,
                by: origin,
                now: now
            )
            if outcome == .waitsForSecond { self.setOutcome(.pageWaitsForSecond, for: visit) }
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

/// The buttons of one card.
extension CardView {
    private static let keys: KeyValuePairs<DecisionAction, String> = [
        .accept: "A", .retry: "T", .resend: "E", .delivered: "D", .anew: "N", .holder: "1",
    ]

    /// The possible actions, and why the others are not possible.
    var actions: HTML {
        guard self.visit.caller.may(.decide, on: self.details.card.submitter) else { return "" }
        let proposal = self.details.proposal.map {
            HTML.message(.pageProposal($0.subject, .pageAction($0.action), $0.until))
        }
        let buttons = Self.keys.filter { self.details.actions[$0.key] == nil }.map { action, letter in
            HTML(
                """
                <button name="action" value="\(action)"\(self.key(letter))>\(Message.pageAction(action))\(self.hint(letter))</button>
                """
            )
        }
        let refused = DecisionAction.allCases.compactMap { action in
            self.details.actions[action].map { HTML("<li>\(Message.pageAction(action)): \($0.message)</li>") }
        }
        let erase = HTML("<li>\(Message.pageEraseByCommand(self.details.card.id))</li>")
        let why = HTML("<details><summary>\(Message.pageNotPossible)</summary><ul>\(refused)\(erase)</ul></details>")
        return HTML.section(
            .pageWhatMayBeDone,
            "\(proposal)\(self.decideForm(buttons))\(self.retakeForm)\(self.rejectForm)\(why)"
        )
    }

    private func decideForm(_ fields: [HTML]) -> HTML {
        guard !fields.isEmpty else { return "" }
        return """
            <form method="post" class="act"\(action: .decide, of: self.details.card.id)>\(HTML.hidden("tab", self.tab))
            <input type="hidden" name="seen" value="\(self.details.lastEvent)">\(fields)</form>
            """
    }

    private var retakeForm: HTML {
        guard self.details.actions[.retake] == nil else { return "" }
        let reasons = RetakeReason.allCases.map {
            HTML("<option value=\"\($0.rawValue)\">\(Message.retake($0))</option>")
        }
        return self.decideForm([
            """
            <input type="hidden" name="action" value="retake"><label>\(Message.pageRetakeReason)
            <select name="reason"\(self.key("R"))>\(reasons)</select></label>
            <button>\(Message.pageAction(.retake))\(self.hint("R"))</button>
            """
        ])
    }

    private var rejectForm: HTML {
        guard self.details.actions[.reject] == nil else {
            // The written text is not lost, though it can no longer be sent.
            return "\(self.typed.map(Self.typedText))"
        }
        return self.decideForm([
            """
            <input type="hidden" name="action" value="reject"><label>\(Message.pageRejectMessage)
            <input name="message" maxlength="500" autocomplete="off"\(value: self.typed ?? "")\(self.key("X"))></label>
            <button class="bad">\(Message.pageAction(.reject))\(self.hint("X"))</button>
            """
        ])
    }

    static func typedText(_ text: String) -> HTML {
        "<label>\(Message.pageYourWords)<textarea readonly>\(text)</textarea></label>"
    }

    private func hint(_ letter: String) -> HTML { self.hasKeys ? " <kbd>\(letter)</kbd>" : "" }

    private func key(_ letter: String) -> HTML { self.hasKeys ? " data-key=\"Key\(letter)\"" : "" }
}
