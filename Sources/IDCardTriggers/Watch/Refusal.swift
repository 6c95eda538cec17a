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

    /// How long to wait before the file is tried again; `nil` if it is refused for good.
    ///
    /// - Parameter tries: how often it was tried before this time.
    func wait(tries: Int, _ settings: WatchSettings) -> Duration? {
        // A card that was rejected is an end, whatever the reason.
        guard self.card == nil else { return nil }
        switch RefusalProspect(of: self.reason) {
        case .room, .stillness: break
        case .doubtful where tries + 1 < settings.attempts: break
        case .doubtful, .none: return nil
        }
        return RefusalProspect.wait(tries: tries, base: settings.retryBase, cap: settings.retryCap)
    }
}
