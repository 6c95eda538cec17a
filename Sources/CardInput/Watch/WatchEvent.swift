package import CardModel

/// Why a photo is handed to the pipeline.
package enum WatchOccasion: Hashable, Sendable {
    case complete
    /// The photo has just changed and may still grow: an image that cannot be used is refused without becoming a card.
    case young
    /// The photo was admitted before, and its sidecar came later: it only amends the card.
    ///
    /// It is refused with `sidecar_late` if its values differ and the card is in a delivery or finished.
    case lateSidecar
}

/// The result of handing a photo to the pipeline.
package enum WatchOutcome: Sendable {
    /// The card of the photo is durable, whether new or known.
    case admitted
    /// The photo is refused, with or without a card.
    case refused(CodedError, card: CardID?)
    /// The business number has reached its limit of photos in progress: this photo and others of the number come later.
    case waits(CodedError)
    /// No photo can be admitted for now: the pipeline or the disk is full, or the process ends.
    case later(CodedError)
}

package enum WatchEvent: Sendable {
    /// The present location of a file.
    package enum Disposition: String, Hashable, Sendable {
        /// In `done/`.
        case done
        /// In `failed/`, with a note beside it.
        case failed
        /// The file was deleted.
        case deleted
        /// The file was left in place.
        case left
    }

    /// The file of a durable card or of a refused input was moved, deleted or left.
    case placed(name: Redacted<String>, Disposition)
    /// An input is refused for good.
    case refused(name: Redacted<String>, CodedError, card: CardID?)
    /// A file, link or other entry of a watched folder is not admitted and left where it is, for this reason.
    ///
    /// Reported when the entry has been unchanged for a while, and not again until it changes.
    case leftInPlace(name: Redacted<String>, folder: Redacted<String>, CodedError)
    /// A folder was scanned and its due files examined.
    ///
    /// `files` counts those that are or may become inputs, `skipped` what each rule of `IgnoredNames` skipped.
    case scanned(folder: Redacted<String>, files: Int, skipped: [String: Int])
    /// How many files and other entries of a folder are left in place at present.
    case leftInPlaceCount(Int, folder: Redacted<String>)
    /// A problem prevents admitting or archiving files; reported once until it is solved.
    case problem(folder: Redacted<String>, CodedError)
    /// A reported problem is solved.
    case mended(folder: Redacted<String>, ReasonCode)
    /// No photo is admitted for now, for this reason; reported once until the next photo is admitted.
    case paused(CodedError)
    /// Photos are admitted again.
    case resumed
}
