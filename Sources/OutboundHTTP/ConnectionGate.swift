import NIOCore
import Synchronization

/// Lets so many requests to one host through at a time, in the order of arrival: a wait for a connection of its own,
/// apart from the time a connection takes to open, which is the only wait async-http-client has.
final class ConnectionGate: Sendable {
    /// Why a wait ended without a place.
    enum Refusal: Error {
        /// No place became free in time.
        case timeout
        /// The calling task was cancelled, or the client was shut down.
        case interrupted
    }

    private struct Waiter {
        let number: Int
        let promise: EventLoopPromise<Void>
    }

    private struct State {
        var inside: [String: Int] = [:]
        var waiting: [String: [Waiter]] = [:]
        var next = 0
        var isClosed = false
    }

    private let limit: Int
    private let loop: any EventLoop
    private let state = Mutex(State())

    /// Makes a gate with so many places per host.
    init(limit: Int, loop: any EventLoop) {
        self.limit = limit
        self.loop = loop
    }

    /// Waits for a place; ``leave(_:)`` must follow if there was one.
    ///
    /// - Parameters:
    ///   - host: host and port.
    ///   - timeout: the longest wait.
    func enter(_ host: String, timeout: TimeAmount) async throws(Refusal) {
        let promise = self.loop.makePromise(of: Void.self)
        let number = self.arrive(at: host, promise: promise)
        let timer = self.loop.scheduleTask(in: timeout) { self.turnAway(number, from: host, .timeout) }
        defer { timer.cancel() }
        do {
            try await withTaskCancellationHandler {
                try await promise.futureResult.get()
            } onCancel: {
                self.turnAway(number, from: host, .interrupted)
            }
        } catch {
            throw error as? Refusal ?? .interrupted
        }
    }

    /// Gives a place back.
    func leave(_ host: String) {
        let waiter = self.state.withLock { state -> Waiter? in
            if state.waiting[host]?.isEmpty == false { return state.waiting[host]?.removeFirst() }
            state.inside[host, default: 1] -= 1
            return nil
        }
        waiter?.promise.succeed()
    }

    /// Turns away all who wait, and all who come.
    func close() {
        let waiters = self.state.withLock { state in
            state.isClosed = true
            defer { state.waiting = [:] }
            return state.waiting.values.flatMap { $0 }
        }
        for waiter in waiters { waiter.promise.fail(Refusal.interrupted) }
    }

    private func arrive(at host: String, promise: EventLoopPromise<Void>) -> Int {
        let (number, isOpen, isFree) = self.state.withLock { state in
            state.next += 1
            guard !state.isClosed else { return (state.next, false, false) }
            let isFree = state.inside[host, default: 0] < self.limit
            if isFree {
                state.inside[host, default: 0] += 1
            } else {
                state.waiting[host, default: []].append(Waiter(number: state.next, promise: promise))
            }
            return (state.next, true, isFree)
        }
        if !isOpen {
            promise.fail(Refusal.interrupted)
        } else if isFree {
            promise.succeed()
        }
        return number
    }

    private func turnAway(_ number: Int, from host: String, _ refusal: Refusal) {
        let waiter = self.state.withLock { state -> Waiter? in
            // Whoever is not found here has a place already, or was turned away before.
            guard let index = state.waiting[host]?.firstIndex(where: { $0.number == number }) else { return nil }
            return state.waiting[host]?.remove(at: index)
        }
        waiter?.promise.fail(refusal)
    }
}
