import IDCardCore
import Synchronization

/// What becomes known of one request while it is answered, for its line in the log.
final class Exchange: Sendable {
    struct State {
        /// The name of the token that it came with.
        var caller: String?
        /// The template of its path.
        var route: String?
        /// How many bytes of its body were read.
        var bodyBytes = 0
        /// Header fields that go with every answer to it.
        var rateLimit: RateLimit.Standing?
    }

    /// Its name, in the log and in the answer.
    let id = Exchange.newID()
    private let state = Mutex(State())

    /// What is known so far.
    var known: State { self.state.withLock { $0 } }

    /// Notes something.
    func note(_ change: (inout State) -> Void) { self.state.withLock { change(&$0) } }

    /// Makes a name for a request.
    static func newID() -> String {
        var random = SystemRandomNumberGenerator()
        return UUIDText.version4(using: &random)
    }
}
