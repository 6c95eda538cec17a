import HTTPTypes

/// What a business number has the backend do, like the test cards of payment services: so each failure can be seen without a
/// backend that fails. Nothing is stored, but for a slow one.
enum TestNumber: Hashable {
    /// `FAIL-503-…`: answers with a status of 400 to 599.
    case fail(HTTPResponse.Status)
    /// `DROP-…`: closes the connection without an answer.
    case drop
    /// `SLOW-…`: answers late.
    case slow
    /// `HOLD-…`: never answers.
    case hold

    /// The first number among the parts of a request that is one.
    init?(in parts: [ReceivedForm.Part]) {
        let numbers = parts.filter { $0.name == "BUSINESSNO" }.map { String(decoding: $0.body, as: UTF8.self) }
        let form = /(?:FAIL-([45][0-9]{2})|(DROP|SLOW|HOLD))-.*/
        guard let match = numbers.lazy.compactMap({ $0.wholeMatch(of: form) }).first else { return nil }
        switch (match.1.flatMap { Int($0) }, match.2) {
        case (let code?, _): self = .fail(HTTPResponse.Status(code: code))
        case (_, "DROP"): self = .drop
        case (_, "SLOW"): self = .slow
        default: self = .hold
        }
    }
}
