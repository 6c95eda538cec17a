package import IDCardCore

/// What the engine tells while it works: to draw progress and to print cards as they end.
package enum PipelineEvent: Hashable, Sendable {
    /// So many inputs will be taken in.
    case intakeStarted(inputs: Int)
    /// An input is dealt with.
    case input(index: Int, InputResult)
    /// A card moved to another state.
    case cardChanged(Card)
    /// A `verified` card stays for another reason than before.
    case cardWaits(Card)
    /// A stage stopped; nothing of it is tried before the next probe.
    case stagePaused(Stage, StagePause)
    /// A stopped stage works again.
    case stageResumed(Stage)
}

/// What intake made of one input.
package enum InputResult: Hashable, Sendable {
    /// A new card.
    case admitted(Card)
    /// The card was there already; `wasRead` tells whether the file had to be read to know.
    case duplicate(Card, wasRead: Bool)
    /// Refused without a card.
    case refused(ReasonCode, message: String)
    /// Not an image by content nor by extension.
    case ignored
}

/// How a batch ended.
package enum BatchEnding: Hashable, Sendable {
    /// Every card reached an end or waits for a person or its front.
    case complete
    /// Work remains, but nothing moved for `run.patience`.
    case patienceExhausted
}
