import CardModel
import CardStore
import Foundation

/// The numbers of inputs of a run by result; the keys are part of the JSON contract and never missing.
struct RunCounts: Sendable, Encodable {
    private static let allKeys =
        CardState.allCases.map(\.rawValue) + [RunLine.refused, "duplicate", "unchanged", "ignored"]

    private var byKey = Dictionary(uniqueKeysWithValues: Self.allKeys.map { ($0, 0) })

    /// Counts inputs; a second input with the same card counts as a duplicate.
    init(_ lines: [RunLine] = []) {
        var cards: Set<CardID> = []
        for line in lines {
            let isFirst = line.cardID.map { cards.insert($0).inserted } ?? true
            if let key = line.countsAs { self.add(isFirst ? key : "duplicate") }
        }
    }

    mutating func add(_ key: String) { self.byKey[key, default: 0] += 1 }

    subscript(key: String) -> Int { self.byKey[key] ?? 0 }

    var total: Int { self.byKey.values.reduce(0, +) }

    /// For example `24 inputs: 22 delivered, 1 rejected, 1 duplicate`.
    var line: Message {
        Self.line(self.total, Self.allKeys.filter { self[$0] > 0 }.map { .runCount(self[$0], $0) })
    }

    /// The number of inputs, and the numbers by result.
    static func line(_ total: Int, _ parts: [Message]) -> Message {
        parts.isEmpty ? .runNothing(total) : .runCounts(total, parts)
    }

    func encode(to encoder: any Encoder) throws { try self.byKey.encode(to: encoder) }
}

/// The result of one input: an element of `cards` in `--format json`, a line in `--format jsonl`.
struct RunLine: Sendable, Report {
    @Nullable var cardID: CardID? = nil
    /// The input as the person named it.
    var source: String
    @Nullable var businessNo: String? = nil
    /// The side the verifier saw, else the side given.
    @Nullable var side: CardSide? = nil
    /// The card's state; `refused` for inputs without a card, `ignored` for files that are not images.
    var state: String
    /// The reason, as a stable code: the remote's own code if it decided.
    @Nullable var reason: String? = nil
    /// The reason, for a person.
    @InWords var message: Message? = nil
    /// The earlier card, if this input is its duplicate.
    @Nullable var duplicateOf: CardID? = nil
    /// What to report to a person; not printed itself.
    var notice = CardNotice.nothing

    /// What to do about a back whose front is known; not printed itself.
    var frontAdvice: Message?
    /// The key that it is counted under, and its share in the exit status of the run; not printed themselves.
    var countsAs: String?
    var status = CommandStatus.delivered

    /// The state of an input without a card.
    static let refused = "refused"

    private enum CodingKeys: CodingKey {
        case cardID, source, businessNo, side, state, reason, message, duplicateOf
    }

    /// Sets the reason of a refusal.
    mutating func describe(_ error: CodedError) {
        self.reason = error.code.rawValue
        self.message = error.message
        self.notice = self.state == Self.refused ? .attention(.retake) : .nothing
    }

    /// Sets why there is no card, and whether work remains.
    mutating func refuse(_ error: CodedError) {
        self.state = error.stateOfInput
        self.describe(error)
        self.countsAs = self.state
        self.status =
            switch error.kind {
            case .storage: .sandboxError
            case .temporary: .workRemains
            default: .someNotDelivered
            }
    }

    /// Sets what is known of the card.
    mutating func describe(_ card: Card) {
        self.cardID = card.id
        self.state = card.state.rawValue
        // A tombstone no longer has its business number; the input may have it.
        if card.state != .erased || self.businessNo == nil { self.businessNo = card.metadata.businessNumber.rawValue }
        self.side = card.anySide
        self.reason = card.shownReason
        self.message = card.message
        self.notice = card.notice
    }

    /// The exit status for all lines, depending on whether an endpoint stopped a stage.
    static func status(of lines: [RunLine], isStopped: Bool) -> CommandStatus {
        let all = Set(lines.map(\.status))
        if all.contains(.sandboxError) { return .sandboxError }
        guard let status = [.workRemains, .someNotDelivered].first(where: all.contains) else { return .delivered }
        return isStopped ? .endpointStopped : status
    }

    /// The line for people: state, source, and message.
    var line: Message {
        let start = Redacted("\(self.state.padded(to: 9)) \(self.name)\(self.reason.map { " \($0)" } ?? "")")
        return (self.message ?? self.advice).map { .textNamed(start, $0) } ?? .textPersonal(start)
    }

    var lines: [Message] { [self.line] }

    /// The name of the input for a person.
    var name: String { self.source.isEmpty ? self.cardID?.rawValue ?? "" : self.source }

    /// The line without the values of its own input: lines of one kind are equal.
    var kind: RunLine {
        var kind = RunLine(source: "", state: self.state)
        (kind.reason, kind.message, kind.frontAdvice) = (self.reason, self.message, self.frontAdvice)
        return kind
    }

    static let columns = ["business_no", "side", "file", "state", "reason", "what_is_wrong", "what_to_do"]

    /// The cells under ``columns``.
    var cells: [String] {
        [self.businessNo ?? "", self.side?.rawValue ?? "", self.source, self.state, self.reason ?? ""]
            + CSVText.parts(of: (self.message ?? self.advice)?.withoutPersonalValues)
    }

    /// The advice for a card that waits for a person.
    private var advice: Message? {
        if self.state == CardState.erased.rawValue { return .runErased }
        return self.frontAdvice ?? Self.advice(on: self.reason, of: self.cardID)
    }

    /// The advice for a card whose reason has no message of its own.
    static func advice(on reason: String?, of card: CardID?) -> Message? {
        switch reason.map(ReasonCode.init(rawValue:)) {
        case .frontMissing: .runFrontMissing(card?.rawValue ?? "ID")
        case .waitsForFront: .runWaitsForFront
        case .waitsForOlderPhoto: .runWaitsForOlder
        case .userNumberMissing: .runUserMissing
        default: nil
        }
    }
}

extension Case {
    /// The advice for a back if its front is the cause of the case's state.
    func advice(onBack back: CardID) -> Message? {
        guard let front = self.cardID, front != back, self.side != .back, let cause = self.cause else { return nil }
        return self.state == .retake ? .runFrontRefused(cause) : .runFrontOpen(cause, front)
    }
}

extension CodedError {
    /// The state of a refused input: a lack of space, memory or time says nothing about the photo.
    var stateOfInput: String { self.kind == .storage || self.kind == .temporary ? "unchanged" : RunLine.refused }
}

/// The table of a run for spreadsheet programs (`--report`): a row for each input, in a new file.
struct RunTable {
    private let path: String
    let file: RootFiles

    /// Creates the file before the run begins, so that an existing one is reported while nothing is done.
    ///
    /// - Throws: `file_not_written`, of kind `usage` if the file exists, else `input`.
    init(_ name: String, for options: GlobalOptions) throws {
        self.path = URL(filePath: name).path
        let isThere = access(self.path, F_OK) == 0
        do { self.file = try RootFiles([self.path], always: true, for: options) } catch let error as CodedError {
            throw CodedError(error.code, isThere ? .usage : error.kind == .storage ? .input : error.kind, error.message)
        }
    }

    /// Writes a row for each line, after the line of the access log.
    func write(_ lines: [RunLine], noting store: Sandbox) async throws {
        try await store.listings.logList(to: SystemUser.origin(of: "run --report, rows: \(lines.count)"), now: .now)
        let rows = [CSVText.byteOrderMark + CSVText.row(RunLine.columns)] + lines.map { CSVText.row($0.cells) }
        try self.file.write(Data(rows.map { $0 + "\n" }.joined().utf8), to: self.path)
    }
}
