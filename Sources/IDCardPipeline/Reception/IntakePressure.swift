package import IDCardCore

/// Whether more may come in.
package enum IntakePressure: Hashable, Sendable {
    /// There is room.
    case open
    /// Nothing more is taken in for now.
    ///
    /// - Parameters:
    ///   - reason: `queue_full`, `disk_space_low` or `shutting_down`.
    ///   - message: what is scarce and what to do; without personal data.
    ///   - retryAfter: when it is worth asking again.
    case closed(ReasonCode, message: String, retryAfter: Duration)
}
