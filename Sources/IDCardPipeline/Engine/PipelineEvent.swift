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
    /// There is more or less room than before, and other work may go on.
    case spaceChanged(StoreSpace)
    /// The engine was asked to end: so many requests are under way and may go on for so long.
    case shuttingDown(requests: Int, timeout: Duration)
}
