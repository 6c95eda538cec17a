import IDCardCore
import Synchronization

/// What the clients told the engine, call by call.
final class OutcomeLog: Sendable {
    /// One call.
    struct Entry: Hashable, Sendable {
        /// The digest of the image, or the idempotency key.
        var subject: String
        /// How it ended.
        var failureClass: FailureClass
        /// The code of the failure; `ok` if there was none.
        var code: String
    }

    private let state = Mutex<[Entry]>([])

    /// All calls in the order in which they ended.
    var entries: [Entry] { self.state.withLock { $0 } }
    /// The codes in that order.
    var codes: [String] { self.entries.map(\.code) }
    /// The classes in that order.
    var classes: [FailureClass] { self.entries.map(\.failureClass) }
    /// The most calls about one subject.
    var mostPerSubject: Int {
        Dictionary(grouping: self.entries, by: \.subject).values.map(\.count).max() ?? 0
    }

    /// Notes how a verification ended.
    func add(_ outcome: VerificationOutcome, of subject: String) {
        switch outcome {
        case .read: self.add(nil, of: subject)
        case .failed(let failure): self.add(failure, of: subject)
        }
    }

    /// Notes how a delivery ended.
    func add(_ outcome: DeliveryOutcome, of subject: String) {
        switch outcome {
        case .accepted, .items: self.add(nil, of: subject)
        case .tokenExpired(let failure), .failed(let failure): self.add(failure, of: subject)
        }
    }

    private func add(_ failure: RemoteFailure?, of subject: String) {
        let entry = Entry(
            subject: subject,
            failureClass: failure?.failureClass ?? .accepted,
            code: failure?.code ?? "ok"
        )
        self.state.withLock { $0.append(entry) }
    }
}
