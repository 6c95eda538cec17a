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
    /// It is a sidecar whose image may still come, until this time.
    case waitsForImage(until: Duration)
    /// It is a sidecar whose image did not come: it may belong to one that was taken in before.
    case lateSidecar(LateSidecar, TakenFile)
    /// It cannot be opened, which may pass.
    case unreadable(message: String, TakenFile?)
    /// It was to follow an image that was moved when the process was killed.
    case leftBehind(TakenFile, SourceDisposal.Ending)
    /// To be taken in: once for each business number that the manifest gives it.
    ///
    /// `sidecar` is there if its sidecar gives another number than its folder, under which it may have been taken in.
    case inputs([IntakeItem], TakenFile, sidecar: LateSidecar?)
    /// It stays where it is: it lies deeper than folders give business numbers by default, and an earlier version took it.
    case unassigned(message: String, TakenFile)
    /// To be refused.
    case refused(ReasonCode, message: String, TakenFile)
}

/// What a sidecar says about an image that may have been taken in without it.
struct LateSidecar: Hashable, Sendable {
    /// The image.
    var image: TakenPhoto
    /// The number that its folder lends.
    var number: BusinessNumber
    /// What the sidecar says.
    var metadata: CardMetadata
    /// What becomes of the sidecar if no card takes its words over: it came before its image was moved, and belongs to no
    /// other; `nil` if it may belong to an image that is still to come.
    var ending: SourceDisposal.Ending?
}
