import IDCardCore
import Synchronization

/// Whether intake has given up waiting for room; then whatever finds none is refused at once.
final class IntakeRoom: Sendable {
    private let isGivenUp = Mutex(false)

    /// Whether the wait was in vain before.
    var hasGivenUp: Bool { self.isGivenUp.withLock { $0 } }

    /// Notes that nothing moved for too long.
    func giveUp() { self.isGivenUp.withLock { $0 = true } }
}

extension IntakeStage {
    /// How often a store without room is looked at again.
    static let roomInterval = Duration.seconds(1)

    /// Takes an input in as soon as there is room.
    ///
    /// - Parameter waits: whether to wait for room, up to the patience.
    /// - Returns: what `admit` returns; a refusal with `disk_space_low` if there is no room, or nothing moved for so long.
    func whenThereIsRoom(waits: Bool, _ admit: () async throws -> InputResult) async throws -> InputResult {
        let since = self.context.time.now()
        while true {
            // What waits here has left no trace: it is dropped when the engine is asked to end.
            try self.context.board.checkMayBegin()
            try Task.checkCancellation()
            let scarcity: String
            let space = await self.context.space.look()
            if space.allowsIntake {
                do {
                    let result = try await admit()
                    self.context.space.succeeded()
                    return result
                } catch let error as StoreError where error.code == .diskFull {
                    self.context.space.failed(error.message)
                    scarcity = error.message
                }
            } else {
                scarcity = space.message ?? "the disk of the sandbox is nearly full"
            }
            guard waits else { return Self.refused(scarcity, advice: "it is taken in when there is") }
            let now = self.context.time.now()
            let deadline = max(since, self.context.monitor.lastChangeAt).advanced(by: self.context.settings.patience)
            if self.room.hasGivenUp || now >= deadline {
                self.room.giveUp()
                return Self.refused(scarcity, advice: "then run again")
            }
            await self.context.board.waitUntilDraining(or: now.advanced(by: Self.roomInterval), time: self.context.time)
        }
    }
    private static func refused(_ scarcity: String, advice: String) -> InputResult {
        .refused(.diskSpaceLow, message: "not taken in: \(scarcity); \(advice)")
    }
}
