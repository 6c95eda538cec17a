/// The verdict over one reading, with everything that was found on the way.
package struct Judgement: Hashable, Sendable {
    /// What becomes of the card.
    package var verdict: Verdict
    /// The findings that decide nothing, in the order of the rules.
    package var warnings: [VerdictFinding]

    /// Joins a verdict and its warnings.
    package init(_ verdict: Verdict, warnings: [VerdictFinding] = []) {
        self.verdict = verdict
        self.warnings = warnings
    }

    /// Decides by findings: the first that rejects, else the first that holds, else accepted.
    package init(_ findings: [VerdictFinding]) {
        let deciding = findings.first { $0.severity == .reject } ?? findings.first { $0.severity == .hold }
        self.verdict =
            switch deciding {
            case .some(let finding) where finding.severity == .reject:
                .rejected(finding.reason, message: finding.message)
            case .some(let finding): .held(finding.reason, message: finding.message)
            case .none: .accepted
            }
        self.warnings = findings.filter { $0.severity == .warn }
    }
}
