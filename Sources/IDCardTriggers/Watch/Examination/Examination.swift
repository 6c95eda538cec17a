import IDCardCore
import IDCardPipeline

/// What a file that is complete turns out to be.
enum Examination: Sendable {
    /// It is not there any more.
    case vanished
    /// It is not what it was when it was found to be complete.
    case changed
    /// Not an image, or one that waits for its done-marker: nothing to do as long as it stays as it is.
    case noInput
    /// It belongs to another file, which is to be judged anew.
    case companion(of: WatchedPath)
    /// It is the root's manifest, read anew.
    case manifest(RootManifest)
    /// Its turn comes again once the manifest of its root has been read, or mended.
    case waitsForManifest(WatchedPath)
    /// Its turn comes again once its sidecar is there, or at this time.
    case waitsForSidecar(until: Duration, ReasonCode)
    /// It cannot be opened, which may pass.
    case unreadable(message: String, TakenFile?)
    /// It was to follow an image that was moved when the process was killed.
    case leftBehind(TakenFile, SourceDisposal.Ending)
    /// To be taken in: once for each business number that the manifest gives it.
    case inputs([IntakeItem], TakenFile)
    /// It stays where it is: it lies deeper than folders give business numbers by default, and an earlier version took it.
    case unassigned(message: String, TakenFile)
    /// To be refused.
    case refused(ReasonCode, message: String, TakenFile)
}
