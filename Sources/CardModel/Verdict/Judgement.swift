/// What the rules decide about a card by its reading.
package enum Verdict: Hashable, Sendable {
    /// Every rule holds.
    case accepted
    /// A rule rejects the card.
    case rejected(ReasonCode, message: Message)
    /// A rule asks for a person, who decides.
    case held(ReasonCode, message: Message)
}

/// A rule of the verdict that does not hold for a reading.
package struct VerdictFinding: Hashable, Sendable {
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
    case reject = "reject"
    /// A person decides.
    case hold = "hold"
    /// The card passes, and its history has the warning.
    case warn = "warn"
    /// The rule is not applied.
    case off = "off"
    /// The same as `off`, in the word of the verification service; only for its missing genuineness scores.
    case accept = "accept"
}

/// The verdict over one reading, with warnings.
package struct Judgement: Hashable, Sendable {
    package var verdict: Verdict
    /// The findings of severity `warn`, in the order of the rules.
    package var warnings: [VerdictFinding]

    package init(_ verdict: Verdict, warnings: [VerdictFinding] = []) {
        self.verdict = verdict
        self.warnings = warnings
    }

    /// Decides by findings: by the first that rejects, else by the first that holds; without either, accepts.
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
    /// The first finding that rejects, else the first that holds.
    var deciding: VerdictFinding? { self.first { $0.severity == .reject } ?? self.first { $0.severity == .hold } }
}
