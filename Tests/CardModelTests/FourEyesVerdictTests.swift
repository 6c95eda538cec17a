import CardModel
import Testing

/// What becomes of a decision by what another person decided: a table.
@Suite struct FourEyesVerdictTests {
    struct Row: Sendable, CustomTestStringConvertible {
        var pending: FourEyes.Pending?
        var action = DecisionAction.accept
        var subject = "wang"
        var needsSecond = true
        var verdict: FourEyes.Verdict

        var testDescription: String {
            let before =
                self.pending.map { "\($0.subject)\($0.second.map { "+\($0)" } ?? "") \($0.action)" } ?? "nobody"
            return "\(before), then \(self.subject) \(self.action)\(self.needsSecond ? ", for two" : "")"
        }
    }

    private static func li(_ action: DecisionAction = .accept, second: String? = nil, alone: Bool = false)
        -> FourEyes.Pending
    {
        FourEyes.Pending(action, by: "li", second: second, needsSecond: !alone)
    }

    static let rows = [
        Row(needsSecond: false, verdict: .goes(first: nil)), Row(verdict: .waits),
        // Another person.
        Row(pending: li(), verdict: .goes(first: "li")),
        Row(pending: li(), needsSecond: false, verdict: .goes(first: "li")),
        Row(pending: li(alone: true), verdict: .stands),
        Row(pending: li(alone: true), needsSecond: false, verdict: .stands),
        Row(pending: li(), action: .reject, verdict: .taken(by: "li")),
        Row(pending: li(), action: .reject, needsSecond: false, verdict: .taken(by: "li")),
        Row(pending: li(alone: true), action: .reject, needsSecond: false, verdict: .taken(by: "li")),
        // The same person.
        Row(pending: li(), subject: "li", verdict: .stands),
        Row(pending: li(), subject: "li", needsSecond: false, verdict: .stands),
        Row(pending: li(alone: true), subject: "li", needsSecond: false, verdict: .stands),
        Row(pending: li(), action: .reject, subject: "li", verdict: .waits),
        Row(pending: li(), action: .reject, subject: "li", needsSecond: false, verdict: .goes(first: nil)),
        // Once two persons have decided the same.
        Row(pending: li(second: "wang"), verdict: .stands),
        Row(pending: li(second: "wang"), subject: "li", verdict: .stands),
        Row(pending: li(second: "wang"), subject: "zhao", verdict: .stands),
        Row(pending: li(second: "wang"), action: .reject, verdict: .taken(by: "wang")),
        Row(pending: li(second: "wang"), action: .reject, subject: "li", verdict: .taken(by: "wang")),
        Row(pending: li(second: "wang"), action: .reject, subject: "zhao", verdict: .taken(by: "wang")),
    ]

    @Test(arguments: rows) func `a decision goes, waits, stands or is another person's`(row: Row) {
        let verdict = FourEyes.verdict(row.pending, row.action, by: row.subject, needsSecond: row.needsSecond)
        #expect(verdict == row.verdict)
    }
}
