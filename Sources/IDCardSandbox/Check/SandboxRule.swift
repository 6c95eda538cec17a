import GRDB

/// A rule of the sandbox as a question to SQLite: what it returns breaks the rule.
struct SandboxRule: Sendable {
    let code: SandboxFinding.Code
    let severity: SandboxFinding.Severity
    let isRepairable: Bool
    /// What is wrong and what to do.
    let message: String
    /// Returns in its first column the card or delivery that breaks the rule; NULL for the sandbox as a whole.
    let sql: String

    init(
        _ code: SandboxFinding.Code,
        severity: SandboxFinding.Severity = .error,
        isRepairable: Bool = false,
        _ message: String,
        sql: String
    ) {
        self.code = code
        self.severity = severity
        self.isRepairable = isRepairable
        self.message = message
        self.sql = sql
    }

    /// Returns everything that breaks the rule.
    func findings(in db: Database) throws -> [SandboxFinding] {
        try Optional<String>.fetchAll(db, sql: self.sql).map { subject in
            SandboxFinding(
                self.code,
                subject,
                severity: self.severity,
                isRepairable: self.isRepairable,
                self.message
            )
        }
    }

    /// The rules that hold between the rows.
    static let all: [SandboxRule] =
        constraints + cards + sources + erasures + histories + backs + deliveries + attempts + calls + orphans + leases
        + clocks
}
