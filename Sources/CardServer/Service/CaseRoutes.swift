import CardModel
import CardStore
import Hummingbird

/// Shows cases.
struct CaseRoutes: Sendable {
    private struct Page: Encodable {
        let cases: [CaseDocument]
        @Nullable var nextCursor: String?
    }

    let store: CardStore

    /// `GET /v1/cases`.
    func list(_ request: Request, caller: Caller) async throws -> Response {
        let parameters = try QueryParameters(request, known: ["state", "business_no", "limit", "cursor"])
        var filter = CaseFilter()
        filter.states = try parameters.words("state")
        filter.number = try parameters.businessNumber()
        let limit = try parameters.pageSize()
        let last = try parameters.single("cursor").map { text in
            guard let cursor = CaseCursor(text) else { throw Problem(.parameterInvalid, .requestCursor) }
            return cursor
        }
        let page = try await self.store.cases(filter, after: last, limit: limit, for: caller)
        var answer = Page(cases: page.map(CaseDocument.init), nextCursor: nil)
        if page.count == limit, let end = page.last.map(CaseCursor.init),
            try await !self.store.cases(filter, after: end, limit: 1, for: caller).isEmpty
        {
            answer.nextCursor = end.text
        }
        return Response(json: answer)
    }
}

extension CaseCursor {
    /// What has no meaning to a client: state, time, and the number in hexadecimal digits, since it may hold any character.
    fileprivate var text: String {
        let digits = self.number.rawValue.utf8.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        return "\(self.state.rawValue).\(self.since.millisecondsSinceEpoch).\(digits)"
    }

    fileprivate init?(_ text: String) {
        guard let match = text.wholeMatch(of: /([a-z_]{1,20})\.([0-9]{1,15})\.((?:[0-9a-f]{2}){1,256})/),
            let state = CaseState(rawValue: String(match.1)), let time = Int64(match.2)
        else { return nil }
        let pairs = String(match.3).matches(of: /../).compactMap { UInt8($0.output, radix: 16) }
        guard let number = String(validating: pairs, as: UTF8.self) else { return nil }
        self.init(
            state: state,
            since: Timestamp(millisecondsSinceEpoch: time),
            number: BusinessNumber(stored: number)
        )
    }
}
