package import CardModel

/// Why a photo is handed to the pipeline.
package enum WatchOccasion: Hashable, Sendable {
    case complete
    /// It has just changed and may still grow: an image that cannot be used is refused without becoming a card.
    case young
    /// It was taken in before, and its sidecar has come since: it only amends its card. Refused with `sidecar_late` if
    /// it says something new and the card is in a delivery or has ended.
    case lateSidecar
}

/// What became of a photo that was handed to the pipeline.
package enum WatchOutcome: Sendable {
    /// Its card is durable, new or known.
    case taken
    /// It is refused, with or without a card.
    case refused(CodedError, card: CardID?)
    /// The number of the photo has as many photos in progress as it may: this one, and others of its number, come later.
    case waits(CodedError)
    /// Nothing can be taken in for now: the pipeline or the disk is full, or the process ends.
    case later(CodedError)
}

/// What happened in the watched folders, for whoever shows it.
package enum WatchEvent: Sendable {
    /// Where a file is now.
    package enum Place: String, Hashable, Sendable {
        /// In `done/`.
        case done
        /// In `failed/`, with a note beside it.
        case failed
        /// Nowhere: it was deleted.
        case deleted
        /// Where it was.
        case left
    }

    /// What became of the file of a card that is durable, or of a refused input.
    case placed(name: Redacted<String>, Place)
    /// An input is refused for good.
    case refused(name: Redacted<String>, CodedError, card: CardID?)
    /// A file, link or other thing stands still in a watched folder and is not admitted, and why; it stays where it is.
    /// Told once as long as it looks so.
    case stays(name: Redacted<String>, folder: Redacted<String>, CodedError)
    /// A folder has been looked through, and its files that were due have been looked at; how many files it held that
    /// are or may become inputs, and how many files and folders each rule of `IgnoredNames` passed over.
    case scanned(folder: Redacted<String>, files: Int, passedOver: [String: Int])
    /// How many things stay in a folder by now.
    case staying(Int, folder: Redacted<String>)
    /// Something keeps files from being taken in or put away; told once until it is mended.
    case problem(folder: Redacted<String>, CodedError)
    /// It is all right again.
    case mended(folder: Redacted<String>, ReasonCode)
    /// Nothing is taken in for now, and why; told once until the next photo is taken in.
    case paused(CodedError)
    /// Photos are taken in again.
    case resumed
}
