/// Whether a body comes fast enough: a pure account of bytes, and of the time in which they were waited for.
///
/// Time in which nobody here wanted bytes does not count: a slow disk is no fault of the sender's. Times are durations
/// since any one moment.
struct BodyPace: Hashable, Sendable {
    private let limits: ConnectionLimits
    private var byteCount = 0
    /// How long bytes were waited for, up to the last ones.
    private var waited = Duration.zero
    private var waitsSince: Duration?

    init(limits: ConnectionLimits) {
        self.limits = limits
    }

    /// Somebody wants bytes from now on.
    mutating func wait(at time: Duration) {
        if self.waitsSince == nil { self.waitsSince = time }
    }

    /// Bytes have come.
    mutating func receive(_ count: Int, at time: Duration) {
        self.byteCount += count
        if let since = self.waitsSince { self.waited += time - since }
        self.waitsSince = nil
    }

    /// Until when the next byte must come; `nil` while nobody waits for it.
    var deadline: Duration? {
        guard let since = self.waitsSince else { return nil }
        let standstill = since + self.limits.bodyStandstill
        guard self.limits.bodyBytesPerSecond > 0 else { return standstill }
        let earned = Duration.seconds(self.byteCount) / self.limits.bodyBytesPerSecond
        return min(standstill, since + self.limits.bodyGrace + earned - self.waited)
    }
}
