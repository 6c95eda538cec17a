import Synchronization

/// Remembers the signatures for one use, so that none is taken twice.
///
/// The vendor does not say how long one may lie before its use; ten minutes are taken here, on either side of the
/// clock, and so no signature need be remembered for longer than the twenty that it could be used in.
final class UsedSigns: Sendable {
    /// How far the time of a signature may lie from ours, in seconds.
    static let tolerance: Int64 = 600

    private let signs = Mutex<Set<ReceivedSign>>([])

    /// Whether a signature comes for the first time, and not too early or too late.
    ///
    /// - Parameter now: seconds since 1970.
    func admit(_ sign: ReceivedSign, now: Int64) -> Bool {
        let window = (now - Self.tolerance)...(now + Self.tolerance)
        guard window.contains(sign.time) else { return false }
        return self.signs.withLock { signs in
            signs = signs.filter { $0.time >= window.lowerBound }
            return signs.insert(sign).inserted
        }
    }
}
