import CardModel
import CardStore

extension Console {
    /// The parameters that filter cases.
    static let caseFilters: Set<String> = ["state", "business_no", "cause", "mine", "to_bring"]

    /// `GET /console/cases`: the most urgent states first, in each the oldest first.
    func listCases(_ visit: ConsoleRequest) async throws -> Reply {
        let query = try visit.query(Self.caseFilters.union(["after"]))
        let filter = try query.caseFilter(for: visit.caller)
        let last = try query.single("after", else: .requestCursor, as: CaseCursor.init)
        let page = try await self.ports.store.listings.cases(
            filter,
            after: last,
            limit: Limits.consoleRows,
            for: visit.caller
        )
        let states = CaseState.allCases.map { (value: $0.rawValue, text: Message.stateName($0)) }
        let fields: [HTML.Filter] = [
            ("state", .pageStateTitle, filter.states.first?.rawValue, states),
            ("to_bring", .pageToBring, filter.toBring ? "true" : nil, [("true", .pageToBringOnly)]),
            ("mine", .pageSubmitter, filter.submitter == nil ? nil : "true", [("true", .pageMine)]),
            ("business_no", .pageBusinessNo, filter.number?.rawValue, []),
        ]
        let columns: [(Message, (Case) -> HTML)] = [
            (.pageBusinessNo, { .caseLink($0.businessNo) }), (.pageStateTitle, { .state($0.state) }),
            (.pageTodo, { $0.todo.map { "\($0)" } ?? "" }), (.pageSince, { "\($0.since)" }),
            (.pageCause, { .causeOf($0) }),
        ]
        let totals = try await self.ports.store.listings.caseTotals(for: visit.caller)
        let downloads = [ConsoleRoute.casesAsCSV, .casesAsWorkbook].map { route in
            let path = ConsolePath(route, fields.map { ($0.name, $0.value) })
            return HTML("<a\(href: path) download>\(route == .casesAsCSV ? "CSV" : "XLSX" as String)</a>")
        }
        let list: HTML = """
            \(HTML.totals(totals))\(HTML.table(page.cases, .pageCases, none: .pageNoCases, columns))
            <p>\(Message.pageDownload): \(HTML.joined(downloads, by: " · "))</p>
            """
        let next = page.next.map { ("after", $0.text) }
        return .page(ConsolePage(list: .pageCases, .cases, fields, list, .pageNext, next))
    }

    /// `GET /console/cases/show?no=`: one case with its cards.
    func showCase(_ visit: ConsoleRequest) async throws -> Reply {
        guard let number = try visit.query(["no"]).single("no").flatMap(BusinessNumber.init) else {
            throw Problem(.parameterInvalid, .requestBusinessNo)
        }
        let store = self.ports.store
        guard let one = try await store.listings.oneCase(number, for: visit.caller) else {
            throw Problem(.notFound, .pageNoSuchCase)
        }
        let cards = try await store.listings.caseCards(of: number, for: visit.caller)
        let body: HTML = """
            \(HTML.facts([
                (.pageStateTitle, .state(one.state)), (.pageSince, "\(one.since)"),
                (.pageCause, .causeOf(one)),
                (.pageMissing, one.missing.isEmpty ? "–" : .missing(one)),
            ]))\(one.message.map(HTML.message))
            \(HTML.section(.pageCards, .table(of: cards)))
            """
        return .page(ConsolePage(.pageCaseTitle(number.rawValue), in: .cases, body))
    }
}

extension HTML {
    /// How many cases have each state, each a link to these.
    fileprivate static func totals(_ totals: [CaseState: Int]) -> HTML {
        let links = CaseState.allCases.filter { totals[$0, default: 0] > 0 }.map { state in
            let path = ConsolePath(.cases, [("state", state.rawValue)])
            return HTML("<li><a\(href: path)>\(Message.stateName(state))</a> \(totals[state, default: 0])</li>")
        }
        return "<ul class=\"totals\">\(links)</ul>"
    }

    /// The first cause of a case, linked to its card.
    fileprivate static func causeOf(_ one: Case) -> HTML {
        guard let card = one.cardID else { return "" }
        return "\(HTML.cardLink(card)) \(HTML.side(one.side)) <code>\(one.cause ?? "")</code>"
    }

    fileprivate static func missing(_ one: Case) -> HTML {
        .joined(one.missing.map { "\(Message.word($0))" }, by: ", ")
    }

    /// The cards of a case.
    static func table(of cards: [CaseCard]) -> HTML {
        let columns: [(Message, (CaseCard) -> HTML)] = [
            (.pageCard, { .cardLink($0.card.id) }), (.pageSideTitle, { .side($0.card.anySide) }),
            (.pageStateTitle, { .state($0.card.state) }), (.pageReason, { .reason($0.card.shownReason) }),
            (.pageSubmitter, { "\($0.submitter)" }),
            (.pagePersonTitle, { $0.person.map { "\(Message.pagePerson($0))" } ?? "" }),
        ]
        return .table(cards, .pageCards, columns)
    }
}
