import CardModel
import CardStore
import Hummingbird

extension Console {
    /// `GET /console/cases`: the most urgent states first, in each the oldest first.
    func listCases(_ visit: Visit) async throws -> Reply {
        let query = try visit.query(["state", "business_no", "after"])
        var filter = CaseFilter()
        filter.states = try query.words("state", empty: true)
        filter.number = try query.given("business_no").map { text in
            guard let number = BusinessNumber(text) else { throw Problem(.parameterInvalid, .requestBusinessNo) }
            return number
        }
        let last = try query.given("after").map { text in
            guard let cursor = CaseCursor(text) else { throw Problem(.parameterInvalid, .requestCursor) }
            return cursor
        }
        let page = try await self.ports.store.cases(filter, after: last, limit: Limits.consoleRows, for: visit.caller)
        let documents = page.cases.map(CaseDocument.init)
        let state = filter.states.first?.rawValue
        let next = page.next.map { cursor in
            ConsolePath(
                "/console/cases",
                [("state", state), ("business_no", filter.number?.rawValue), ("after", cursor.text)]
            )
        }
        let states = CaseState.allCases.map { (value: $0.rawValue, text: Message.pageState($0)) }
        let filters = HTML.filters(
            .cases,
            [
                .choice("state", .pageStateTitle, states, chosen: state),
                .field("business_no", .pageBusinessNo, filter.number?.rawValue),
            ]
        )
        let list = documents.isEmpty ? "<p>\(Message.pageNoCases)</p>" : Self.table(of: documents)
        return .page(ConsolePage(.pageCases, in: .cases, "\(filters)\(list)\(HTML.pager(next, .pageNext))"))
    }

    private static func table(of cases: [CaseDocument]) -> HTML {
        let rows: [[HTML]] = cases.map { one in
            let missing = one.state == .complete ? [] : one.missing.map { HTML("\(Message.pageSide($0))") }
            return [
                .caseLink(one.businessNo), .state(one.state), .causeOf(one), "\(one.since)",
                .joined(missing, by: ", "),
            ]
        }
        let heads: [Message] = [.pageBusinessNo, .pageStateTitle, .pageCause, .pageSince, .pageMissing]
        return .table(heads, rows, caption: .pageCases)
    }

    /// `GET /console/cases/show?no=`: one case with its cards.
    func showCase(_ visit: Visit) async throws -> Reply {
        guard let number = try visit.query(["no"]).given("no").flatMap(BusinessNumber.init) else {
            throw Problem(.parameterInvalid, .requestBusinessNo)
        }
        var filter = CaseFilter()
        filter.number = number
        let store = self.ports.store
        guard let one = try await store.cases(filter, after: nil, limit: 1, for: visit.caller).cases.first else {
            throw Problem(.notFound, .pageNoSuchCase)
        }
        let document = CaseDocument(one)
        let cards = try await store.caseCards(of: number, for: visit.caller).map(CaseCardDocument.init)
        let missing = document.missing.map { HTML("\(Message.pageSide($0))") }
        let facts: [(Message, HTML)] = [
            (.pageStateTitle, .state(document.state)), (.pageSince, "\(document.since)"),
            (.pageCause, .causeOf(document)), (.pageMissing, missing.isEmpty ? "–" : .joined(missing, by: ", ")),
        ]
        let body: HTML = """
            \(HTML.facts(facts))\(document.message.map { HTML("<p class=\"message\">\($0)</p>") })
            \(HTML.section(.pageCards, Self.table(of: cards)))
            """
        return .page(ConsolePage(.pageCaseTitle(number.rawValue), in: .cases, body))
    }

    static func table(of cards: [CaseCardDocument]) -> HTML {
        let rows: [[HTML]] = cards.map { one in
            [
                .cardLink(one.card.cardID), .side(one.card.side), .state(one.card.state), .reason(one.card.reason),
                "\(one.submitter)", one.person.map { "\(Message.pagePerson($0))" } ?? "",
            ]
        }
        let heads: [Message] = [
            .pageCard, .pageSideTitle, .pageStateTitle, .pageReason, .pageSubmitter, .pagePersonTitle,
        ]
        return .table(heads, rows, caption: .pageCards)
    }
}

extension HTML {
    /// The first cause of a case, which leads to its card.
    fileprivate static func causeOf(_ one: CaseDocument) -> HTML {
        guard let card = one.cardID else { return "" }
        return "\(HTML.cardLink(card)) \(HTML.side(one.side)) <code>\(one.cause ?? "")</code>"
    }

    /// Where a list goes on.
    static func pager(_ path: ConsolePath?, _ text: Message) -> HTML {
        path.map { HTML("<p class=\"pager\"><a rel=\"next\"\(href: $0)>\(text)</a></p>") } ?? ""
    }
}
