import IDCardCore
import Synchronization

/// Tells an argument error of one odd card from one that every card gets.
final class StopSuspicion: Sendable {
    private let suspect = Mutex<CardID?>(nil)

    /// Notes that a card got an argument error; `true` if another card got one before.
    func isShared(by card: CardID) -> Bool {
        self.suspect.withLock { suspect in
            defer { suspect = card }
            return suspect != nil && suspect != card
        }
    }
}
