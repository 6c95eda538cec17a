import Synchronization

/// A business backend in the test's own process, which accepts every form that a test does not have it answer otherwise.
package final class ScriptedBackend: Sendable {
    /// What a test has it answer about a form, at once or after an event; `nil` accepts it.
    package typealias Script = @Sendable (PostedForm) async -> FaultReply?

    private struct State {
        var requests: [ReceivedRequest] = []
        var accepted: [PostedForm] = []
        var script: Script
    }

    private let state: Mutex<State>

    package init(_ script: @escaping Script = { _ in nil }) {
        self.state = Mutex(State(script: script))
    }

    /// The requests that came whole, in order.
    package var requests: [ReceivedRequest] { self.state.withLock { $0.requests } }
    /// The forms that it accepted, in order.
    package var accepted: [PostedForm] { self.state.withLock { $0.accepted } }
    /// The business numbers that it was asked about, in order.
    package var askedNumbers: [String] { self.requests.map { PostedForm($0)["BUSINESSNO"] ?? "" } }
    /// The business numbers of the forms that it accepted, in order.
    package var acceptedNumbers: [String] { self.accepted.map { $0["BUSINESSNO"] ?? "" } }

    /// Has it answer otherwise from now on.
    package func answer(_ script: @escaping Script) { self.state.withLock { $0.script = script } }

    /// Serves for as long as a function runs.
    package func serving<Value: Sendable>(_ body: (_ url: String) async throws -> Value) async throws -> Value {
        try await FaultServer { _, _ in .answerLater { await self.reply(to: $0) } }.serving { address in
            try await body(address + "/upload")
        }
    }

    private func reply(to request: ReceivedRequest) async -> FaultReply {
        let form = PostedForm(request)
        let script = self.state.withLock { state in
            state.requests.append(request)
            return state.script
        }
        if let answer = await script(form) { return answer }
        self.state.withLock { $0.accepted.append(form) }
        return .json(#"{"RETCODE":"000000","RETMSG":"ok"}"#)
    }
}

/// Holds whoever comes while it is closed, and tells a test that somebody has come.
package final class Gate: Sendable {
    private enum State {
        case closed([CheckedContinuation<Void, Never>])
        case open
    }

    private let state: Mutex<State>
    private let arrivals = AsyncStream.makeStream(of: Void.self)

    /// Makes a gate, which is closed unless it is said to be open.
    package init(isOpen: Bool = false) { self.state = Mutex(isOpen ? .open : .closed([])) }

    /// Holds whoever comes from now on.
    package func close() {
        self.state.withLock { state in
            if case .open = state { state = .closed([]) }
        }
    }

    package func pass() async {
        self.arrivals.continuation.yield()
        await withCheckedContinuation { continuation in
            let isOpen = self.state.withLock { state in
                guard case .closed(let waiting) = state else { return true }
                state = .closed(waiting + [continuation])
                return false
            }
            if isOpen { continuation.resume() }
        }
    }

    /// Waits for the next who comes, or has come and was not waited for.
    package func arrival() async { for await _ in self.arrivals.stream { break } }

    /// Lets everybody through, now and until it is closed.
    package func open() {
        let waiting = self.state.withLock { state in
            defer { state = .open }
            guard case .closed(let waiting) = state else { return [CheckedContinuation<Void, Never>]() }
            return waiting
        }
        for continuation in waiting { continuation.resume() }
    }
}
