import Synchronization
import TestSupport

extension Gate {
    /// Waits until the gate is open, and leaves the answer as it is.
    func wait<Answer>() async -> Answer? {
        await self.pass()
        return nil
    }
}

extension MarkVerifier {
    /// Answers so many calls, and no more before a gate is open: so its caller cannot have finished by then.
    func answer(_ count: Int, thenWaitAt gate: Gate) {
        let left = Mutex(count)
        self.answer { _ in
            let isAnswered = left.withLock { left in
                left -= 1
                return left >= 0
            }
            return isAnswered ? nil : await gate.wait()
        }
    }
}
