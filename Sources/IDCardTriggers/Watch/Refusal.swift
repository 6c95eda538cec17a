import IDCardCore

/// Why a file was not taken in, and whether a later look may mend it.
struct Refusal: Hashable, Sendable {
    /// The stable reason.
    var reason: ReasonCode
    /// The reason for a person; free of personal data.
    var message: String
    /// The card, if there is one.
    var card: CardID?

    /// Describes a refusal.
    init(_ reason: ReasonCode, _ message: String, card: CardID? = nil) {
        self.reason = reason
        self.message = message
        self.card = card
    }

    /// What is not the file's fault: it is tried again for ever.
    private static let passing: Set<ReasonCode> = [.diskSpaceLow, .queueFull, .shuttingDown, .sourceChanged]

    /// What may be the file's fault: it is tried again a few times.
    private static let doubtful: Set<ReasonCode> = [
        .sourceUnreadable, .storeFailed, ReasonCode(rawValue: "decoder_unavailable"),
        ReasonCode(rawValue: "image_out_of_memory"), ReasonCode(rawValue: "image_decode_time"),
    ]

    /// How long to wait before the file is tried again; `nil` if it is refused for good.
    ///
    /// - Parameter tries: how often it was tried before this time.
    func wait(tries: Int, _ settings: WatchSettings) -> Duration? {
        // A card that was rejected is an end, whatever the reason.
        guard self.card == nil else { return nil }
        guard
            Self.passing.contains(self.reason) || (Self.doubtful.contains(self.reason) && tries + 1 < settings.attempts)
        else { return nil }
        return min(settings.retryCap, settings.retryBase * (1 << min(tries, 20)))
    }
}

extension ReasonCode {
    /// The store cannot say whether it knows the file.
    static let storeFailed = ReasonCode(rawValue: "store_failed")
}
