import CardInput
import CardModel
import CardStore

/// The result of one input: an element of `cards` in `--format json`, a line in `--format jsonl`.
struct RunLine: Sendable, Report {
    @Nullable var cardID: CardID? = nil
    /// The input as the person named it.
    var source: String
    @Nullable var businessNo: String? = nil
    /// The side the verifier saw, else the side given.
    @Nullable var side: CardSide? = nil
    var state: InputState
    /// The reason, as a stable code: that of the remote service if it decided.
    @Nullable var reason: String? = nil
    @InWords var message: Message? = nil
    /// The earlier card, if this input is its duplicate.
    @Nullable var duplicateOf: CardID? = nil
    /// What to report to a person; not printed itself.
    var notice = CardNotice.nothing

    /// What to do about a back whose front is known, or what replaced the photo; in text and tables alone.
    var advice: Message?
    /// The key that it is counted under, and its share in the exit status of the run; not printed themselves.
    var countsAs: InputState?
    var status = CommandStatus.delivered

    private enum CodingKeys: CodingKey {
        case cardID, source, businessNo, side, state, reason, message, duplicateOf
    }

    init(_ source: String, _ state: InputState) { (self.source, self.state) = (source, state) }

    /// The line of an input, with its present card.
    ///
    /// - Parameter newOnly: whether known cards that do not move are omitted.
    init(_ index: Int, of inputs: InputFollower, card: Card?, newOnly: Bool) {
        let (entry, result) = (inputs.entry(index), inputs.results[index])
        self.init(entry?.name.reveal() ?? "", .unchanged)
        (self.businessNo, self.side) = (entry?.item?.metadata.businessNumber.rawValue, entry?.item?.metadata.side)
        switch result {
        case .notReached: (self.countsAs, self.status) = (.unchanged, .workRemains)
        case .ignored(let error):
            (self.state, self.countsAs) = (.ignored, .ignored)
            self.describe(error)
            self.notice = newOnly ? .nothing : .line
        case .duplicate(let first):
            self = Self(first, of: inputs, card: card, newOnly: newOnly)
            (self.source, self.duplicateOf, self.notice) = (entry?.name.reveal() ?? "", self.cardID, .nothing)
            (self.countsAs, self.status) = (.duplicate, .delivered)
        case .refused(let error):
            // A lack of space, memory or time says nothing about the photo.
            switch error.kind {
            case .storage: (self.state, self.status) = (.unchanged, .sandboxError)
            case .temporary: (self.state, self.status) = (.unchanged, .workRemains)
            default: (self.state, self.status) = (.refused, .someNotDelivered)
            }
            self.describe(error)
            self.countsAs = self.state
        case .admitted(let outcome):
            self.cardID = outcome.card
            if let card { self.count(card, isChange: card.id != outcome.card || inputs.isMoved(card.id), newOnly) }
            // Report the known card: the one being fetched may be deleted again.
            if card?.state == .fetching { self.cardID = outcome.card }
            if outcome.isDuplicate, self.cardID == outcome.card { self.duplicateOf = outcome.card }
            if newOnly, !inputs.isChange(index) { self.notice = .nothing }
        case .stored: if let card { self.count(card, isChange: inputs.isMoved(card.id), newOnly) }
        }
    }

    /// Describes a card, and counts it by its state if this run admitted or moved it, or if it is reported to a person.
    private mutating func count(_ card: Card, isChange: Bool, _ newOnly: Bool) {
        self.describe(card)
        let notice = newOnly && !isChange ? .nothing : card.notice
        if notice.isFailure { self.status = .someNotDelivered }
        if card.hasWork { self.status = .workRemains }
        self.countsAs = .card(card.state)
        if !isChange, card.state.isRunnable || notice == .nothing {
            self.countsAs = card.state.isRunnable ? .unchanged : .duplicate
        }
    }

    mutating func describe(_ error: CodedError) {
        self.reason = error.code.rawValue
        self.message = error.message
        self.notice = self.state == .refused ? .attention(.retake) : .nothing
    }

    /// Sets what is known of the card.
    mutating func describe(_ card: Card) {
        self.cardID = card.id
        self.state = .card(card.state)
        // A tombstone no longer has its business number; the input may have it.
        let number = card.metadata.businessNumber
        if card.state != .erased || number.isDigest || self.businessNo == nil { self.businessNo = number.rawValue }
        // The path names the folder, which gave the number.
        if number.isDigest { self.source = "" }
        self.side = card.anySide
        self.reason = card.shownReason
        self.message = card.message
        self.notice = card.notice
    }

    /// The line for people: state, source, and message.
    var line: Message {
        let start = Redacted("\(self.state.word.padded(to: 9)) \(self.name)\(self.reason.map { " \($0)" } ?? "")")
        return self.text.map { .textNamed(start, $0) } ?? .textPersonal(start)
    }

    var lines: [Message] { [self.line] }

    var name: String { self.source.isEmpty ? self.cardID?.rawValue ?? "" : self.source }

    /// The line without the values of its own input: lines of one kind are equal.
    var kind: RunLine {
        var kind = RunLine("", self.state)
        (kind.reason, kind.message, kind.advice) = (self.reason, self.message, self.advice)
        return kind
    }

    /// The columns of the table of a run; the photo of each row is the input.
    static var tableColumns: [TableColumn<RunLine>] {
        [
            TableColumn(.tableNumber) { $0.businessNo.map { .text($0) } },
            TableColumn(.tableState) { .text(Message.runState($0.state).text()) },
            TableColumn(.tableSide) { .sides($0.task.sides) },
            TableColumn(.tableTask) { $0.task.message.map { .text($0.withoutPersonalValues.text()) } },
            TableColumn(.tablePhoto) { .text($0.source) },
            TableColumn(.tableCard) { $0.cardID.map { .code($0.rawValue) } },
            TableColumn(.tableCode) { $0.reason.map { .code($0) } },
        ]
    }

    private var task: SubmitterTask {
        let state: CaseState? =
            switch self.notice {
            case .attention(.decide): .decide
            // A refused input needs other data more often than another photo.
            case .attention(.retake): self.state == .refused ? nil : .retake
            case .nothing, .line, .blocked: nil
            }
        return SubmitterTask(state, side: self.side, code: self.reason, message: self.text)
    }

    /// What is wrong and what to do.
    private var text: Message? {
        if let text = self.advice ?? self.message { return text }
        return self.state == .card(.erased) ? .runErased : Self.advice(on: self.reason, of: self.cardID)
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

extension Card {
    /// Whether it is a back that waits for a front.
    var lacksFront: Bool { self.reason == .frontMissing || self.reason == .waitsForFront }
}

extension Case {
    /// The advice for a back if its front is the cause of the case's state.
    func advice(onBack back: CardID) -> Message? {
        guard let front = self.cardID, front != back, self.side != .back, let cause = self.cause else { return nil }
        return self.state == .retake ? .runFrontRefused(cause) : .runFrontOpen(cause, front)
    }
}
