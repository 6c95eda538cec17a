package import CardModel

/// Why a photo is handed to the pipeline.
package enum WatchOccasion: Hashable, Sendable {
    case complete
    /// The photo has just changed and may still grow: an image that cannot be used is refused without becoming a card.
    case young
    /// The photo was admitted before, and its sidecar came later: it only amends the card.
    ///
    /// Refused with `sidecar_late` if it differs and the card is in a delivery or finished.
    case lateSidecar
}

/// The result of handing a photo to the pipeline.
package enum WatchOutcome: Sendable {
    /// Its card is durable, new or known.
    case taken
    /// The photo is refused, with or without a card.
    case refused(CodedError, card: CardID?)
    /// The number of the photo has reached its limit of photos in progress: this one, and others of its number, come later.
    case waits(CodedError)
    /// No photo can be admitted for now: the pipeline or the disk is full, or the process ends.
    case later(CodedError)
}

/// An event of the watched folders.
package enum WatchEvent: Sendable {
    /// The location of a file now.
    package enum Disposition: String, Hashable, Sendable {
        /// In `done/`.
        case done
        /// In `failed/`, with a note beside it.
        case failed
        /// The file was deleted.
        case deleted
        /// The file stays.
        case left
    }

    /// The new location of the file of a durable card, or of a refused input.
    case placed(name: Redacted<String>, Disposition)
    /// An input is refused for good.
    case refused(name: Redacted<String>, CodedError, card: CardID?)
    /// A file, link or other entry of a watched folder stays where it is and is not admitted, for this reason.
    ///
    /// Reported once it was unchanged for a while, and once only while it is unchanged.
    case stays(name: Redacted<String>, folder: Redacted<String>, CodedError)
    /// A folder was scanned and its due files examined.
    ///
    /// With the number of files that are or may become inputs, and of files and folders that each rule of `IgnoredNames` skipped.
    case scanned(folder: Redacted<String>, files: Int, skipped: [String: Int])
    /// How many files and other entries stay in a folder now.
    case staying(Int, folder: Redacted<String>)
    /// A problem prevents admitting or archiving files; reported once until it is solved.
    case problem(folder: Redacted<String>, CodedError)
    /// The problem is solved.
    case mended(folder: Redacted<String>, ReasonCode)
    /// No photo is admitted for now, for this reason; reported once until the next photo is admitted.
    case paused(CodedError)
    /// Photos are admitted again.
    case resumed
}
