/// The judgement over one reading: the provider's answer joined with our own rules.
package enum Verdict: Hashable, Sendable {
    /// Every rule holds.
    case accepted
    /// A rule rejects the card.
    case rejected(ReasonCode, message: Message)
    /// A rule cannot be judged; a person decides.
    case held(ReasonCode, message: Message)
}

/// A rule of the verdict that does not hold for a reading.
package struct VerdictFinding: Hashable, Sendable {
    /// The stable code of what is wrong.
    package var reason: ReasonCode
    package var severity: VerdictSeverity
    /// The problem and its remedy, for a person.
    package var message: Message

    package init(_ reason: ReasonCode, _ severity: VerdictSeverity, message: Message) {
        self.reason = reason
        self.severity = severity
        self.message = message
    }
}

/// The consequence when a rule of the verdict does not hold (`verdict.severity.*`).
package enum VerdictSeverity: String, CaseIterable, Sendable, Codable {
    /// The card is refused.
    case reject = "reject"
    /// A person decides.
    case hold = "hold"
    /// The card passes, and its history has the warning.
    case warn = "warn"
    /// The rule is not applied.
    case off = "off"
    /// The card passes although the service cannot say (legality alone); the same as `off`, in the service's own word.
    case accept = "accept"
}

/// The verdict over one reading, with the other findings.
package struct Judgement: Hashable, Sendable {
    /// The result for the card.
    package var verdict: Verdict
    /// The findings that decide nothing, in the order of the rules.
    package var warnings: [VerdictFinding]

    package init(_ verdict: Verdict, warnings: [VerdictFinding] = []) {
        self.verdict = verdict
        self.warnings = warnings
    }

    /// Decides by findings: the first that rejects, else the first that holds, else accepted.
    package init(_ findings: [VerdictFinding]) {
        self.verdict =
            switch findings.deciding {
            case let finding? where finding.severity == .reject: .rejected(finding.reason, message: finding.message)
            case let finding?: .held(finding.reason, message: finding.message)
            case nil: .accepted
            }
        self.warnings = findings.filter { $0.severity == .warn }
    }
}

extension [VerdictFinding] {
    /// The first that rejects, else the first that holds.
    var deciding: VerdictFinding? { self.first { $0.severity == .reject } ?? self.first { $0.severity == .hold } }
}
