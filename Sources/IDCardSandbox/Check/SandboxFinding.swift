/// Something that a check of the sandbox found; free of personal data.
package struct SandboxFinding: Hashable, Sendable {
    /// How much a finding weighs.
    package enum Severity: String, Sendable {
        /// A rule of the sandbox is broken.
        case error
        /// Something that the next run clears away by itself, or that only a person can know.
        case notice
    }

    /// What is wrong: a word that stays the same in all versions.
    package var code: Code
    /// How much it weighs.
    package var severity: Severity
    /// The card, delivery, owner or file it is about; `nil` for the sandbox as a whole.
    package var subject: String?
    /// What is wrong and what to do.
    package var message: String
    /// Whether a repair can put it right without a risk.
    package var isRepairable: Bool

    init(
        _ code: Code,
        _ subject: String?,
        severity: Severity = .error,
        isRepairable: Bool = false,
        _ message: String
    ) {
        self.code = code
        self.severity = severity
        self.subject = subject
        self.message = message
        self.isRepairable = isRepairable
    }

    /// Takes a finding about the sandbox as a whole.
    init(_ code: Code, severity: Severity = .error, isRepairable: Bool = false, _ message: String) {
        self.init(code, nil, severity: severity, isRepairable: isRepairable, message)
    }
}
