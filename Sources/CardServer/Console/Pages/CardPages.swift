import CardModel
import CardStore

extension Console {
    /// `GET /console/cards`.
    func listCards(_ visit: ConsoleRequest) async throws -> Reply {
        let query = try visit.query(["state", "reason", "business_no", "submitter", "attention", "before"])
        var filter = CardFilter()
        filter.states = try query.choices("state")
        filter.reason = try query.single("reason")
        filter.submitter = try query.single("submitter")
        filter.number = try query.single("business_no").map(BusinessNumber.init(stored:))
        if try query.single("attention") != nil { filter.attention = CardAttention.allCases }
        let before = try query.single("before", else: .requestCursor) {
            $0.wholeMatch(of: /[0-9]{1,18}/).flatMap { Int64($0.output) }
        }
        let (store, limit) = (self.ports.store, Limits.consoleRows)
        let cards = try await store.listings.cards(
            filter,
            after: before,
            newestFirst: true,
            limit: limit + 1,
            for: visit.caller
        )
        let shown = cards.prefix(limit)
        let states = CardState.allCases.map { (value: $0.rawValue, text: Message.stateName($0)) }
        let fields: [HTML.Filter] = [
            ("state", .pageStateTitle, filter.states.first?.rawValue, states),
            ("reason", .pageReason, filter.reason, []),
            ("business_no", .pageBusinessNo, filter.number?.rawValue, []),
            ("submitter", .pageSubmitter, filter.submitter, []),
            ("attention", .pageNeedsPerson, filter.attention.isEmpty ? nil : "any", [("any", .pageYes)]),
        ]
        let columns: [(Message, (Card) -> HTML)] = [
            (.pageCard, { .cardLink($0.id) }), (.pageBusinessNo, { .caseLink($0.metadata.businessNumber) }),
            (.pageSideTitle, { .side($0.anySide) }), (.pageStateTitle, { .state($0.state) }),
            (.pageReason, { $0.shownReason.map { "<code>\($0)</code>" } ?? "" }),
            (.pageSubmitter, { "\($0.submitter)" }), (.pageSent, { "\($0.createdAt)" }),
        ]
        let list = HTML.table(shown, .pageCards, none: .pageNoCards, columns)
        let last = cards.count > shown.count ? shown.last.map { ("before", "\($0.order)") } : nil
        return .page(ConsolePage(list: .pageCards, .cards, fields, list, .pageOlder, last))
    }

    /// `GET /console/cards/{card_id}`: one card, without its personal values.
    func showCard(_ visit: ConsoleRequest) async throws -> Reply {
        let details = try await self.ports.store.listings.details(of: visit.card, for: visit.caller)
        let own = try await self.ports.store.decisions.undoable(by: visit.caller)
        let undo = self.undo(own.filter { $0.card == visit.card }, tab: "")
        let body: HTML = "\(undo)\(CardView(details, for: visit).body)"
        return .page(ConsolePage(.pageCard, in: .cards, body))
    }

    /// `POST /console/cards/{card_id}/reveal`: the same page with personal values, in this one answer.
    func revealCard(_ visit: ConsoleRequest) async throws -> Reply {
        let form = try await visit.form(["purpose", "tab"])
        let (purpose, tab) = (form["purpose"] ?? "", form["tab"])
        let origin = try visit.origin(purpose: purpose)
        var cards = [visit.card]
        if let tab {
            let now = self.ports.now()
            cards = try await self.ports.store.decisions.claimed(tab: tab, by: visit.caller, now: now, extending: true)
            guard cards.contains(visit.card) else { throw Problem(.changeRefused, .pageClaimOver) }
        }
        var revealed: [CardID: CardDetails] = [:]
        for card in cards {
            do {
                revealed[card] = try await self.cards.reveal(card, to: origin, hasPurpose: !purpose.isEmpty)
            } catch  where !revealed.isEmpty {
                // Cards whose reveal is already logged are shown.
                break
            }
        }
        self.change(visit) { $0.purpose = purpose }
        if let tab { return .page(try await self.reviewPage(visit, tab: tab, cards: cards, revealed: revealed)) }
        guard let details = revealed[visit.card] else { throw Problem(.cardNotFound) }
        let masked = ConsolePath.card(visit.card)
        let body: HTML = "\(Self.hideLink(masked))\(CardView(details, for: visit).body)"
        var page = ConsolePage(.pageCard, in: .cards, outcome: .pageRevealed(purpose), body)
        page.masked = masked
        return .page(page)
    }
}
