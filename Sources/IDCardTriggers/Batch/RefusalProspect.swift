package import IDCardCore

/// What a later try may bring for an input that was refused; what the watch and runs on demand go by.
package enum RefusalProspect: Hashable, Sendable {
    /// Room is scarce, or the pipeline is coming to its end: not the input's fault, tried again for ever.
    case room
    /// The file is being changed: tried again until it stands still.
    case stillness
    /// It may be the input's fault, or pass: tried again a few times.
    case doubtful
    /// Nothing: refused for good.
    case none

    private static let scarce: Set<ReasonCode> = [.diskSpaceLow, .queueFull, .shuttingDown]

    private static let doubted: Set<ReasonCode> = [
        .sourceUnreadable, .storeFailed, ReasonCode(rawValue: "decoder_unavailable"),
        ReasonCode(rawValue: "image_out_of_memory"), ReasonCode(rawValue: "image_decode_time"),
    ]

    /// Looks a reason up.
    package init(of reason: ReasonCode) {
        if Self.scarce.contains(reason) {
            self = .room
        } else if reason == .sourceChanged {
            self = .stillness
        } else {
            self = Self.doubted.contains(reason) ? .doubtful : .none
        }
    }

    /// How long to wait before the next try: it doubles each time.
    ///
    /// - Parameters:
    ///   - tries: how often it was tried before this time.
    ///   - base: the first wait.
    ///   - cap: the longest one.
    package static func wait(tries: Int, base: Duration, cap: Duration) -> Duration {
        min(cap, base * (1 << min(tries, 20)))
    }
}

extension ReasonCode {
    /// The store cannot say whether it knows the file.
    package static let storeFailed = ReasonCode(rawValue: "store_failed")
}
