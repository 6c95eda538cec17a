import HTTPTypes
import Hummingbird
import IDCardCore
import IDCardPipeline

/// The parameters of `GET /v1/cards`.
struct CardListQuery {
    /// The most cards of a page.
    static let maximumLimit = 1_000
    /// How many a page has if nothing is said.
    static let defaultLimit = 100

    let query: CardQuery

    /// Reads the parameters; one that is not known is refused, as a mistyped filter would show what was not asked for.
    ///
    /// - Throws: ``Problem``: `parameter_invalid`.
    init(_ request: Request) throws {
        let parameters = try QueryParameters(request, known: ["state", "business_no", "limit", "cursor"])
        var query = CardQuery(limit: Self.defaultLimit)
        for names in parameters.all("state") {
            for name in names.split(separator: ",", omittingEmptySubsequences: false) {
                guard let state = CardState(rawValue: String(name)) else {
                    let known = CardState.allCases.map(\.rawValue).joined(separator: ", ")
                    throw Problem(.parameterInvalid, "state is one or several of \(known).")
                }
                query.states.insert(state)
            }
        }
        if let text = try parameters.single("business_no") {
            guard let number = BusinessNumber(stored: text) else {
                throw Problem(.parameterInvalid, "business_no has 1 to \(BusinessNumber.maximumLength) characters.")
            }
            query.businessNumber = number
        }
        if let text = try parameters.single("limit") {
            guard let limit = Int(text), 1...Self.maximumLimit ~= limit else {
                throw Problem(.parameterInvalid, "limit is a number from 1 to \(Self.maximumLimit).")
            }
            query.limit = limit
        }
        if let text = try parameters.single("cursor") {
            guard let order = CardCursor.intakeOrder(text) else {
                throw Problem(.parameterInvalid, "cursor is the next_cursor of the page before.")
            }
            query.afterIntakeOrder = order
        }
        self.query = query
    }
}
