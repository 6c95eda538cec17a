package import CardModel
import Foundation

/// The origin of an access to personal data: who, and why.
package struct AccessOrigin: Hashable, Sendable {
    /// Who, such as `root:cards show`, or `engine:` and the name of a worker.
    package let actor: String
    /// The caller; `nil` for the engine and retention, which need no permission.
    package let caller: Caller?
    /// Why, in the words of the person who asks; must not name the holder of a card.
    package let purpose: String

    /// Creates the origin of an access by the engine.
    package init(actor: String, purpose: String? = nil) { self.init(caller: nil, actor, purpose) }

    /// Creates the origin of a caller's access: at most 200 characters each, on one line; an empty purpose counts as not given.
    ///
    /// - Throws: `CodedError` `purpose_personal` if the purpose holds an identity number: the log stores it permanently.
    package init(_ caller: Caller, actor: String, purpose: String?) throws(CodedError) {
        guard !IDNumber.isContained(in: purpose ?? "") else { throw Self.personal }
        self.init(caller: caller, actor, purpose)
    }

    init(caller: Caller?, _ actor: String, _ purpose: String?) {
        self.actor = Self.bounded(actor)
        self.caller = caller
        let purpose = Self.bounded(purpose ?? "")
        self.purpose = purpose.isEmpty ? Self.noPurpose : purpose
    }

    /// The origin of a second person, who confirms what the first one decided.
    func confirming(_ first: String) -> AccessOrigin {
        AccessOrigin(caller: self.caller, "\(self.actor), confirms \(first)", self.purpose)
    }

    /// This origin with one more reason.
    func adding(_ why: String) -> AccessOrigin {
        AccessOrigin(caller: self.caller, self.actor, self.purpose == Self.noPurpose ? why : "\(why); \(self.purpose)")
    }

    private static let noPurpose = "not given"

    static let personal = CodedError(.purposePersonal, .usage, .accessPurposePersonal)

    private static func bounded(_ text: String) -> String {
        guard !text.isVisibleLine || text.utf8.count > 200 else { return text.trimmed }
        let plain = text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : String($0) }.joined()
        return String(plain.prefix(200)).trimmed
    }
}

/// The access log as a chain: every line carries the code of itself and of the seal of the log before it.
///
/// A check finds lines that were changed, removed, inserted or moved without the chain key, and a log whose end was cut off,
/// whatever is written after it: the seal of the shorter log is not stored.
enum AccessLog {
    /// The last line: its number and code.
    struct Head: Hashable, Sendable {
        var number: Int64
        var code: Data

        /// The head of an empty log.
        static let none = Head(number: 0, code: Data(count: 32))
    }

    /// Everything that a line holds, in the order in which it is sealed; the code of the line itself comes last.
    static let columns: SQL = "number, at, actor, subject, action, detail, purpose, card, event, mac"

    /// Adds lines within the transaction of the access that they report.
    ///
    /// - Parameters:
    ///   - detail: what exactly was done, as a code such as `retake_glare`.
    ///   - event: the last event of the card that the person saw.
    /// - Returns: the last line.
    @discardableResult
    static func append(
        _ action: AccessAction,
        of cards: [CardID?],
        by origin: AccessOrigin,
        detail: String? = nil,
        event: Int64? = nil,
        vault: Vault,
        in tx: Transaction
    ) throws -> Head {
        let last = try tx.row("SELECT number, mac FROM access_log ORDER BY number DESC LIMIT 1") { row in
            Head(number: try row.next(), code: try row.next())
        }
        var head = last ?? .none
        guard !cards.isEmpty else { return head }
        var seal: Data = try tx.value("SELECT log_seal FROM store") ?? Data()
        let subject = origin.caller?.subject
        for card in cards {
            let number = head.number + 1
            let line = Self.encoded([
                String(number), String(tx.now.millisecondsSinceEpoch), origin.actor, subject ?? "", action.rawValue,
                detail ?? "", origin.purpose, card?.rawValue ?? "", event.map(String.init) ?? "",
            ])
            head = Head(number: number, code: vault.chainCode(of: seal + line))
            seal = Self.seal(of: head, by: vault)
            try tx.run(
                """
                INSERT INTO access_log (\(Self.columns)) VALUES (\(number), \(tx.now), \(origin.actor), \(subject), \(action),
                \(detail), \(origin.purpose), \(card), \(event), \(head.code))
                """
            )
        }
        try tx.run("UPDATE store SET log_seal = \(seal)")
        return head
    }

    /// The seal of the log, which shows a cut end; under the same key as lines, but of a form that no line has.
    static func seal(of head: Head, by vault: Vault) -> Data {
        vault.chainCode(of: Data("head".utf8) + head.code + Data(String(head.number).utf8))
    }

    /// Walks the whole log and names each break once, first lines first; lines after a break are checked from there.
    static func findings(by vault: Vault, in tx: Transaction) throws -> [SandboxFinding] {
        var head = Head.none
        var findings: [SandboxFinding] = []
        try tx.forEach("SELECT \(Self.columns) FROM access_log ORDER BY number") { row in
            let number = try row.next(Int64.self)
            var fields = [String(number), String(try row.next(Int64.self))]
            for _ in 0..<6 { fields.append(try row.next(String?.self) ?? "") }
            fields.append(try row.next(Int64?.self).map(String.init) ?? "")
            let code = try row.next(Data.self)
            if number != head.number + 1 {
                findings.append(SandboxFinding(.fsckLogGap(number)))
            } else if vault.chainCode(of: Self.seal(of: head, by: vault) + Self.encoded(fields)) != code {
                findings.append(SandboxFinding(.fsckLogBroken(number)))
            }
            head = Head(number: number, code: code)
        }
        let seal: Data? = try tx.value("SELECT log_seal FROM store")
        // An empty log is sealed, too: one that was wiped together with its seal is found.
        if seal != Self.seal(of: head, by: vault) { findings.append(SandboxFinding(.fsckLogEndMissing(head.number))) }
        return findings
    }

    /// Writes each field after its length, so that no two lines are encoded alike.
    private static func encoded(_ fields: [String]) -> Data {
        fields.reduce(into: Data()) { $0.append(contentsOf: Data("\($1.utf8.count):\($1)".utf8)) }
    }
}
