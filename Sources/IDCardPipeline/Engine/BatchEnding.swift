/// How a batch ended.
package enum BatchEnding: Hashable, Sendable {
    /// Every card reached an end or waits for a person or its front.
    case complete
    /// Work remains, but nothing moved for `run.patience`.
    case patienceExhausted
    /// All that remains is in the hands of other processes that use the same store, and stayed there for `run.patience`.
    case leftToOthers
    /// It was asked to end: what was under way has ended or was cancelled, and nothing else was begun.
    case interrupted
}
