package import IDCardCore

/// What a restored sandbox holds, and what it cannot know.
package struct RestoreReport: Hashable, Sendable {
    /// How many cards are in it.
    package var cardCount = 0
    /// How many images are in it.
    package var imageCount = 0
    /// How many deliveries are in it.
    package var deliveryCount = 0
    /// When a card in it last changed: what happened later is not known.
    package var lastChange: Timestamp?
    /// How many cards were put aside because nobody knows what became of them since.
    package var heldCount = 0
    /// How many cards were erased again.
    package var erasedCount = 0
    /// How many tombstones of the replaced sandbox it has taken over.
    package var takenOverCount = 0
    /// How many lines of the replaced sandbox's access log it has taken over.
    package var accessLineCount = 0
    /// How many cards the replaced sandbox held.
    package var replacedCardCount = 0
    /// Whether the replaced sandbox could not be read, so that its erasures are not known.
    package var couldNotReadReplaced = false
    /// Whether the keys given do not open the replaced sandbox, so that photos erased there are not known again.
    package var lacksKeyOfReplaced = false
    /// Whether the replaced sandbox had an access log that could not be taken over.
    package var hasLeftAccessLog = false
    /// Whether there was neither a sandbox to replace nor a list of erasures to say who was erased.
    package var knowsNoErasures = false
    /// How many broken rules the backup brought along; `fsck` tells them.
    package var brokenRuleCount = 0
}
