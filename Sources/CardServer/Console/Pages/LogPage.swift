import CardModel
import CardStore
import Hummingbird

extension Console {
    /// `GET /console/log`: accesses with actor, card and purpose; the state of the chain; what waits for a second person.
    func log(_ visit: ConsoleRequest) async throws -> Reply {
        let query = try visit.query(["subject", "card", "action", "before", "check"])
        let card = try query.single("card").map(CardID.init(rawValue:))
        let asked: [AccessAction] = try query.choices("action")
        let filter = LogFilter(subject: try query.single("subject"), card: card, action: asked.first)
        let before = try query.single("before", else: .requestCursor) { Int64($0) }
        let (store, limit) = (self.ports.store, Limits.consoleRows)
        let lines = try await store.listings.accessLines(filter, before: before, limit: limit + 1, for: visit.caller)
        let shown = lines.prefix(limit)
        let actions = AccessAction.allCases.map { (value: $0.rawValue, text: Message.textVerbatim($0.rawValue)) }
        let fields: [HTML.Filter] = [
            ("subject", .pageWho, filter.subject, []), ("card", .pageCard, filter.card?.rawValue, []),
            ("action", .pageActionTitle, filter.action?.rawValue, actions),
        ]
        let last = lines.count > shown.count ? shown.last.map { ("before", "\($0.number)") } : nil
        // A person who may read the log starts the check; a check that is running answers all who ask.
        let isAsked = try query.single("check") != nil
        let chain =
            try await isAsked
            ? self.chain.value(for: { $0 * Limits.countsCacheFactor }, within: Limits.pagePatience) {
                try await store.upkeep.checkAccessLog()
            } : nil
        let waiting = try await store.decisions.decisionsWaiting(for: visit.caller, limit: limit)
        let check = isAsked ? Self.chain(chain) : Self.checkLink
        let head: HTML = "\(check)\(waiting.isEmpty ? nil : Self.waiting(waiting))"
        let list = Self.lines(shown)
        var page = ConsolePage(list: .pageLog, .log, before: head, fields, list, .pageOlderLines, last)
        if isAsked, chain == nil { page.refresh = (Limits.pageRefresh, ConsolePath(visit.request.uri.string)) }
        return .page(page)
    }

    private static var checkLink: HTML {
        "<p class=\"tools\"><a\(href: ConsolePath(.log, [("check", "1")]))>\(Message.pageCheckChain)</a></p>"
    }

    /// - Parameter chain: `nil` while the check is running.
    private static func chain(_ chain: (lines: Int, findings: Int)?) -> HTML {
        guard let (lines, findings) = chain else { return .outcome(.pageChainChecking) }
        return .outcome(findings == 0 ? .pageChainWhole(lines) : .pageChainBroken(findings))
    }

    static func waiting(_ decisions: [Decision]) -> HTML {
        let columns: [(Message, (Decision) -> HTML)] = [
            (.pageCard, { .cardLink($0.card) }), (.pageBusinessNo, { .caseLink($0.number) }),
            (.pageActionTitle, { "\(Message.pageAction($0.action))" }),
            (.pageWho, { "\($0.subject)" }), (.pageWhy, { "\($0.purpose)" }), (.pageSince, { "\($0.until)" }),
        ]
        return .section(.pageSecondPerson, .table(decisions, .pageSecondPerson, columns))
    }

    private static func lines(_ lines: ArraySlice<AccessRecord>) -> HTML {
        let columns: [(Message, (AccessRecord) -> HTML)] = [
            (.pageTime, { "\($0.at)" }), (.pageActionTitle, { "<code>\($0.action)</code>" }),
            (.pageWho, { "\($0.subject ?? "–")" }), (.pageWhy, { "\($0.purpose)" }),
            (.pageCard, { $0.cardID.map(HTML.cardLink) ?? "" }),
            (.pageCommand, { "<span class=\"faint\">\($0.actor)</span>" }), (.pageLineNumber, { "\($0.number)" }),
        ]
        return .table(lines, .pageLog, none: .pageNoLines, columns)
    }
}
