import HTTPTypes

/// Business numbers that trigger failures of the backend, like the test cards of payment services, so that each failure
/// can be tried without a failing backend. Only a slow upload is stored.
enum TestNumber: Hashable {
    /// `FAIL-503-…`: answers with a status of 400 to 599.
    case fail(HTTPResponse.Status)
    /// `DROP-…`: closes the connection without an answer.
    case drop
    /// `SLOW-…`: answers late.
    case slow
    /// `HOLD-…`: never answers.
    case hold

    /// Finds the first test number among the parts of a request.
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
