/// Whether a body comes fast enough: a pure account of bytes, and of the time in which they were waited for.
///
/// Time in which nobody here wanted bytes does not count: a slow disk is no fault of the sender's. Times are durations
/// since any one moment.
struct BodyPace: Hashable, Sendable {
    private let limits: ConnectionLimits
    /// For how long bytes may still be waited for: what those that came have earned, less what was used up.
    private var credit: Duration
    private var waitsSince: Duration?

    init(limits: ConnectionLimits) {
        self.limits = limits
        self.credit = limits.bodyGrace
    }

    /// Somebody wants bytes from now on.
    mutating func wait(at time: Duration) {
        if self.waitsSince == nil { self.waitsSince = time }
    }

    /// Bytes have come.
    mutating func receive(_ count: Int, at time: Duration) {
        if let since = self.waitsSince { self.credit -= time - since }
        self.waitsSince = nil
        guard self.limits.bodyBytesPerSecond > 0 else { return }
        // Capped, or a sender who sends fast at first could hold for hours what then only drips.
        let most = self.limits.bodyGrace + self.limits.bodyStandstill
        self.credit = min(most, self.credit + .seconds(count) / self.limits.bodyBytesPerSecond)
    }

    /// Until when the next byte must come; `nil` while nobody waits for it.
    var deadline: Duration? {
        guard let since = self.waitsSince else { return nil }
        let standstill = since + self.limits.bodyStandstill
        guard self.limits.bodyBytesPerSecond > 0 else { return standstill }
        return min(standstill, since + self.credit)
    }
}
