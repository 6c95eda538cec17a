import CardModel
import CardStore
import Hummingbird

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
        return Response(json: Page(cases: page.cases.map(CaseDocument.init), nextCursor: page.next?.text))
    }
}

extension CaseCursor {
    /// What has no meaning to a client: the number in hexadecimal digits, since it may hold any character, and before it, in the
    /// list of all, state and time.
    var text: String {
        switch self {
        case .all(let state, let since, let number):
            "\(state.rawValue).\(since.millisecondsSinceEpoch).\(Self.digits(number))"
        case .own(let number): Self.digits(number)
        }
    }

    private static func digits(_ number: BusinessNumber) -> String {
        number.rawValue.utf8.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    init?(_ text: String) {
        guard let match = text.wholeMatch(of: /(?:([a-z_]{1,20})\.([0-9]{1,15})\.)?((?:[0-9a-f]{2}){1,256})/) else {
            return nil
        }
        let pairs = String(match.3).matches(of: /../).compactMap { UInt8($0.output, radix: 16) }
        guard let number = String(validating: pairs, as: UTF8.self).map(BusinessNumber.init(stored:)) else {
            return nil
        }
        guard let word = match.1, let digits = match.2 else {
            self = .own(number)
            return
        }
        guard let state = CaseState(rawValue: String(word)), let time = Int64(digits) else { return nil }
        self = .all(state, since: Timestamp(millisecondsSinceEpoch: time), number)
    }
}
