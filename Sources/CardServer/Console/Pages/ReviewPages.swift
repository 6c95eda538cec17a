import CardModel
import CardStore

// One case after another, the oldest first: one tab of one person claims each while it is reviewed.
extension Console {
    /// `GET /console/review`: the case that this tab has claimed, or the form that begins a review.
    func review(_ visit: ConsoleRequest) async throws -> Reply {
        guard let tab = try visit.query(["tab"]).single("tab") else { return .page(try await self.reviewStart(visit)) }
        let (store, now) = (self.ports.store, self.ports.now())
        let cards = try await store.decisions.claimed(tab: tab, by: visit.caller, now: now, extending: false)
        return .page(try await self.reviewPage(visit, tab: tab, cards: cards))
    }

    private func reviewStart(_ visit: ConsoleRequest) async throws -> ConsolePage {
        let second = try await self.ports.store.decisions.decisionsWaiting(for: visit.caller, limit: Limits.consoleRows)
        let queue = try await self.ports.store.decisions.reviewQueue(now: self.ports.now())
        let waiting = queue.oldest.map { HTML("<p>\(Message.pageOldestCase($0))</p>") }
        return ConsolePage(
            .pageReview,
            in: .review,
            """
            <p>\(Message.pageCasesFree(queue.free))</p>\(waiting)\(Self.claims(queue))
            <form method="post" class="act"\(action: .beginReview)>
            <label>\(Message.pagePurpose)<input name="purpose" required data-focus maxlength="\(Limits.purposeCharacters)"></label>
            <button class="main">\(Message.pageBegin)</button></form>\(second.isEmpty ? nil : Self.waiting(second))
            """
        )
    }

    private static func claims(_ queue: ReviewQueue) -> HTML {
        let lines = queue.claimed.map { HTML("<li>\(Message.pageClaimed($0.subject, $0.cases, until: $0.until))</li>") }
        return lines.isEmpty ? "" : "<ul>\(lines)</ul>"
    }

    /// `POST /console/review`: begins a review with the purpose that all its reveals have.
    func beginReview(_ visit: ConsoleRequest) async throws -> Reply {
        let form = try await visit.form(["purpose"])
        guard let purpose = form["purpose"] else { throw Problem(.fieldInvalid, .requestRevealWhy) }
        // A purpose that names a person is refused before it is stored.
        let origin = try visit.origin(purpose: purpose)
        self.change(visit) { ($0.purpose, $0.skipped) = (purpose, []) }
        let tab = String(Sessions.random().prefix(16))
        _ = try await self.ports.store.decisions.claimNext(tab: tab, by: origin, now: self.ports.now())
        return .redirect(.review(tab: tab))
    }

    /// `POST /console/review/next`: claims the next case for the tab; the present one is skipped in this review.
    func nextCase(_ visit: ConsoleRequest) async throws -> Reply {
        guard let tab = try await visit.form(["tab"])["tab"] else { throw Problem(.fieldInvalid) }
        let (store, now) = (self.ports.store, self.ports.now())
        let left = try await store.decisions.claimed(tab: tab, by: visit.caller, now: now, extending: false)
        let numbers = try await store.listings.cards(left, for: visit.caller).map(\.metadata.businessNumber)
        let skipped = self.change(visit) { session in
            session.skipped.formUnion(numbers)
            return session.skipped
        }
        try await store.decisions.release(tab: tab, by: visit.caller, now: now)
        let next = try await store.decisions.claimNext(tab: tab, skipping: skipped ?? [], by: visit.origin(), now: now)
        // All remaining cases were skipped: the next click offers them again.
        if next == nil { self.change(visit) { $0.skipped = [] } }
        return .redirect(.review(tab: tab))
    }

    /// `POST /console/review/undo`.
    func undoDecision(_ visit: ConsoleRequest) async throws -> Reply {
        let form = try await visit.form(["tab", "card"])
        guard let card = form["card"].map(CardID.init(rawValue:)) else { throw Problem(.fieldInvalid) }
        let tab = form["tab"] ?? ""
        let now = self.ports.now()
        let origin = try visit.origin()
        let isUndone = try await self.ports.store.decisions.undo(card, tab: tab, by: origin, now: now)
        guard isUndone else { throw Problem(.changeRefused, .pageUndoTooLate) }
        self.setOutcome(.pageUndone, for: visit)
        guard tab.isEmpty else { return .redirect(.review(tab: tab)) }
        try await self.ports.store.decisions.release(tab: tab, by: visit.caller, now: now)
        return .redirect(.card(card))
    }

    // MARK: The page

    /// The cards that a tab has claimed, with their possible actions.
    ///
    /// - Parameter revealed: the cards that this answer shows, by their ids.
    func reviewPage(
        _ visit: ConsoleRequest,
        tab: String,
        cards: [CardID],
        revealed: [CardID: CardDetails] = [:],
        typed: (card: CardID, text: String)? = nil
    ) async throws -> ConsolePage {
        let (store, now) = (self.ports.store, self.ports.now())
        let queue = try await store.decisions.reviewQueue(now: now)
        let undo = try await self.undo(store.decisions.undoable(by: visit.caller), tab: tab)
        var views: [HTML] = []
        for (index, card) in cards.enumerated() {
            let details =
                if let shown = revealed[card] { shown } else {
                    try await store.listings.details(of: card, for: visit.caller)
                }
            var view = CardView(details, for: visit, tab: tab)
            view.hasKeys = index == 0
            view.typed = typed?.card == card ? typed?.text : nil
            views.append(view.reviewed)
        }
        let queueStatus =
            cards.isEmpty ? Self.empty(queue) : HTML("<p class=\"tools\">\(Message.pageCasesFree(queue.free))</p>")
        // The text about a card that the tab no longer has.
        let lost: HTML? = typed.flatMap { cards.contains($0.card) ? nil : CardView.typedText($0.text) }
        let masked = revealed.isEmpty ? nil : ConsolePath.review(tab: tab)
        var page = ConsolePage(
            .pageReview,
            in: .review,
            """
            \(undo)\(queueStatus)\(lost)\(masked.map(Self.hideLink))
            <div class="cards">\(views)</div>
            <form method="post" class="act"\(action: .nextCase)>\(HTML.hidden("tab", tab))
            <button data-key="KeyS">\(cards.isEmpty ? Message.pageNextCase : .pageSkipCase) <kbd>S</kbd></button></form>
            """
        )
        page.masked = masked
        return page
    }

    static func hideLink(_ masked: ConsolePath) -> HTML {
        "<p class=\"tools\"><a data-hide\(href: masked)>\(Message.pageHide) <kbd>Esc</kbd></a></p>"
    }

    /// No case waits, or others have claimed all.
    private static func empty(_ queue: ReviewQueue) -> HTML {
        let text: Message =
            queue.free > 0 ? .pageCasesFree(queue.free) : queue.claimed.isEmpty ? .pageNothingWaits : .pageAllClaimed
        return "<p data-focus tabindex=\"-1\">\(text)</p>\(Self.claims(queue))"
    }

    /// The decisions that can still be withdrawn.
    func undo(_ decisions: [Decision], tab: String) -> [HTML] {
        decisions.enumerated().map { index, decision in
            let isLast = index == 0
            let action = Message.pageAction(decision.action)
            let what = decision.waitsForSecond ? Message.pageDecidedFirst : Message.pageDecided
            let key: HTML = isLast ? " data-key=\"KeyZ\"" : ""
            let focus: HTML = isLast ? " outcome\" role=\"status\" tabindex=\"-1" : ""
            return """
                <form method="post" class="undo\(focus)"\(action: .undoDecision)>\(HTML.hidden("tab", tab))
                \(HTML.hidden("card", decision.card.rawValue))
                <span>\(what(decision.number.rawValue, action, decision.until))</span>
                <button\(key)>\(Message.pageUndo) <kbd>Z</kbd></button></form>
                """
        }
    }
}
