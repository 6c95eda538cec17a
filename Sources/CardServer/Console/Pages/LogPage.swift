import CardModel
import CardStore
import Hummingbird

extension Console {
    /// `GET /console/log`: who did what, to whose card and why; the chain; what waits for a second person.
    func log(_ visit: Visit) async throws -> Reply {
        let query = try visit.query(["subject", "card", "action", "before", "check"])
        var filter = LogFilter()
        filter.subject = try query.given("subject")
        filter.card = try query.given("card").map(CardID.init(rawValue:))
        let actions: [AccessAction] = try query.words("action", empty: true)
        filter.action = actions.first
        let before = try query.given("before").map { text in
            guard let number = Int64(text) else { throw Problem(.parameterInvalid, .requestCursor) }
            return number
        }
        let store = self.ports.store
        let lines = try await store.accessLines(
            filter,
            before: before,
            limit: Limits.consoleRows + 1,
            for: visit.caller
        )
        let shown = lines.prefix(Limits.consoleRows)
        let given = [("subject", filter.subject), ("card", filter.card?.rawValue), ("action", filter.action?.rawValue)]
        let older =
            lines.count > shown.count
            ? ConsolePath("/console/log", given + [("before", shown.last.map { "\($0.number)" })]) : nil
        let chain = try await query.given("check") == nil ? nil : store.checkAccessLog()
        let waiting = try await store.decisionsWaiting(for: visit.caller, limit: Limits.consoleRows)
        return .page(
            ConsolePage(
                .pageLog,
                in: .log,
                "\(Self.chain(chain))\(Self.waiting(waiting))\(Self.filters(filter))\(Self.lines(Array(shown)))\(HTML.pager(older, .pageOlderLines))"
            )
        )
    }

    private static func chain(_ chain: (lines: Int, findings: Int)?) -> HTML {
        guard let chain else {
            return
                "<p class=\"tools\"><a\(href: ConsolePath("/console/log", [("check", "1")]))>\(Message.pageCheckChain)</a></p>"
        }
        return
            "<p class=\"outcome\" role=\"status\" tabindex=\"-1\">\(chain.findings == 0 ? Message.pageChainWhole(chain.lines) : .pageChainBroken(chain.findings))</p>"
    }

    private static func waiting(_ decisions: [PendingDecision]) -> HTML {
        guard !decisions.isEmpty else { return "" }
        let rows: [[HTML]] = decisions.map { one in
            [
                .cardLink(one.card), .caseLink(one.number.rawValue),
                "\(one.action.map(Message.pageAction) ?? .pageAny)",
                "\(one.subject)", "\(one.purpose)", "\(one.until)",
            ]
        }
        let heads: [Message] = [.pageCard, .pageBusinessNo, .pageActionTitle, .pageWho, .pageWhy, .pageSince]
        return .section(.pageSecondPerson, .table(heads, rows, caption: .pageSecondPerson))
    }

    private static func filters(_ filter: LogFilter) -> HTML {
        let actions = AccessAction.allCases.map { (value: $0.rawValue, text: Message.pageCode($0.rawValue)) }
        return .filters(
            .log,
            [
                .field("subject", .pageWho, filter.subject), .field("card", .pageCard, filter.card?.rawValue),
                .choice("action", .pageActionTitle, actions, chosen: filter.action?.rawValue),
            ]
        )
    }

    private static func lines(_ lines: [AccessRecord]) -> HTML {
        guard !lines.isEmpty else { return "<p>\(Message.pageNoLines)</p>" }
        let rows: [[HTML]] = lines.map { line in
            [
                .time(line.at), "<code>\(line.action)</code>", "\(line.subject ?? "–")", "\(line.purpose)",
                line.cardID.map(HTML.cardLink) ?? "", "<span class=\"faint\">\(line.actor)</span>", "\(line.number)",
            ]
        }
        let heads: [Message] = [
            .pageTime, .pageActionTitle, .pageWho, .pageWhy, .pageCard, .pageCommand, .pageLineNumber,
        ]
        return .table(heads, rows, caption: .pageLog)
    }
}
