import Synchronization

/// Whether the sandbox may know of images that brought a decoder down.
///
/// It hardly ever does. Only whoever takes leases back writes such a row, so a look whenever leases are looked at saves
/// the question before every image. What another process counts meanwhile is seen a few seconds late: such an image is
/// then decoded here once more before it is left to a child.
final class CrashWatch: Sendable {
    private let isSuspicious = Atomic(true)

    /// Whether a row may be there.
    var mayKnowCrashes: Bool { self.isSuspicious.load(ordering: .relaxed) }

    /// Takes note of whether there is a row.
    func looked(found: Bool) {
        self.isSuspicious.store(found, ordering: .relaxed)
    }
}
