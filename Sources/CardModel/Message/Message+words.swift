// The names of codes. Each message is on one line.
// swift-format-ignore
extension Message {
    package static func word(_ side: CardSide) -> Self {
        switch side {
        case .front: Self("word.front", "front")
        case .back: Self("word.back", "back")
        }
    }

    package static func word(_ stage: Stage) -> Self {
        switch stage {
        case .fetch: Self("word.fetch", "fetch")
        case .prepare: Self("word.prepare", "prepare")
        case .verify: Self("word.verify", "verification")
        case .deliver: Self("word.deliver", "business backend")
        }
    }

    package static func stateName(_ state: CaseState) -> Self {
        switch state {
        case .decide: Self("word.case_decide", "a person must decide")
        case .failed: Self("word.case_failed", "attempts used up")
        case .retake: Self("word.case_retake", "photo must be taken again")
        case .inProgress: Self("word.case_in_progress", "in progress")
        case .incomplete: Self("word.case_incomplete", "a side is missing")
        case .complete: Self("word.case_complete", "complete")
        case .rejected: Self("word.case_rejected", "ended by a reviewer")
        case .erased: Self("word.case_erased", "erased")
        }
    }

    package static func stateName(_ state: CardState) -> Self {
        switch state {
        case .fetching: Self("word.card_fetching", "being fetched")
        case .received: Self("word.card_received", "to be prepared")
        case .prepared: Self("word.card_prepared", "to be verified")
        case .verified: Self("word.card_verified", "to be delivered")
        case .delivering: Self("word.card_delivering", "being delivered")
        case .delivered: Self("word.card_delivered", "delivered")
        case .rejected: Self("word.card_rejected", "rejected")
        case .failed: Self("word.card_failed", "attempts used up")
        case .held: Self("word.card_held", "waits for a person")
        case .superseded: Self("word.card_superseded", "replaced by a newer photo")
        case .erased: Self("word.card_erased", "erased")
        }
    }
}

// Within an English sentence they are the codes that commands take.
extension Message.Text.Interpolation {
    package mutating func appendInterpolation(_ side: CardSide) { self.append(.word(side), code: side) }

    package mutating func appendInterpolation(_ stage: Stage) { self.append(.word(stage), code: stage) }

    package mutating func appendInterpolation(_ state: CardState) { self.append(.stateName(state), code: state) }

    package mutating func appendInterpolation(_ state: CaseState) { self.append(.stateName(state), code: state) }

    package mutating func appendInterpolation(_ sides: [CardSide]) {
        self.appendInterpolation(sides.map { Message($0.rawValue, for: .word($0)) })
    }

    private mutating func append(_ word: Message, code: some RawRepresentable<String>) {
        self.appendInterpolation(Message(code.rawValue, for: word))
    }
}

extension Message {
    /// A code in English, and its name in other languages.
    package init(_ code: String, for word: Message) { self.init(id: word.id, Text(stringLiteral: code)) }
}
