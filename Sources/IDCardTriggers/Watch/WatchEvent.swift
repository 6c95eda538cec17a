package import IDCardCore
package import IDCardPipeline

/// What happened in the watched folders, for whoever shows it.
package enum WatchEvent: Sendable {
    /// Where a source file has gone.
    package enum Place: String, Hashable, Sendable {
        /// To the folder for done files.
        case done
        /// To the folder for refused files.
        case failed
        /// Nowhere: it was deleted.
        case deleted
        /// It stays where it was.
        case left
        /// It was replaced or taken away meanwhile; what is there now is looked at anew.
        case gone
    }

    /// What came of a sidecar that was late.
    package enum SidecarOutcome: String, Hashable, Sendable {
        /// The card says now what the sidecar says.
        case applied
        /// The card is in a delivery or has ended: it stays as it is.
        case tooLate = "too_late"
        /// It may belong to that card or to a photo that is still to come: it stays where it is.
        case uncertain
    }

    /// Something that keeps files from being taken in or put away; told once until it changes.
    package enum Problem: String, Hashable, Sendable {
        /// The watched folder is not there.
        case rootMissing = "root_missing"
        /// A folder below it cannot be listed.
        case folderUnreadable = "folder_unreadable"
        /// A name is not UTF-8: the file stays where it is.
        case nameUnreadable = "name_unreadable"
        /// inotify cannot be had for a folder: it is polled.
        case polling = "polling"
        /// The manifest cannot be read or understood: nothing is taken from the root until it is mended.
        case manifestInvalid = "manifest_invalid"
        /// Images lie deeper than folders give business numbers by default: they stay where they are.
        case businessNumberMissing = "business_no_missing"
        /// A file whose card is durable cannot be moved or deleted: it is tried again after waits that grow.
        case disposalFailed = "disposal_failed"
    }

    /// A card is durable, new or known.
    case taken(source: Redacted<String>, Card, isDuplicate: Bool)
    /// An input is refused for good, with or without a card.
    case refused(source: Redacted<String>, ReasonCode, message: String, card: CardID?)
    /// An input stays where it is, and is tried again after a wait.
    case putOff(source: Redacted<String>, ReasonCode, wait: Duration)
    /// A sidecar came after its image was taken in, and what came of it.
    case sidecarLate(source: Redacted<String>, card: CardID, SidecarOutcome)
    /// What became of the source file of a card that is durable, or of a refused input.
    case placed(source: Redacted<String>, Place)
    /// A root has been looked through; how many files it held that are or may become inputs.
    case scanned(root: Int, files: Int)
    /// Something is wrong with a root, counted from 1.
    case problem(root: Int, Problem, message: String)
    /// It is all right again.
    case mended(root: Int, Problem)
    /// Whether more may come in has changed.
    case pressure(IntakePressure)
}
