/// How far the search for what erased cards may have left has come.
package struct ErasureProgress: Hashable, Sendable {
    /// How many erasures are not finished yet: their certificates say `scrubbed: false`.
    package var open: Int
    /// Whether the search has more to read; if not, and erasures are open, something stands in their way.
    package var isGoingOn: Bool

    /// Nothing is left to be done.
    package static let finished = ErasureProgress(open: 0, isGoingOn: false)

    /// Describes where a search stands.
    package init(open: Int, isGoingOn: Bool) {
        self.open = open
        self.isGoingOn = isGoingOn
    }
}
