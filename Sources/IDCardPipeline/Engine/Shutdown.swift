import Synchronization

/// Asks a running engine to come to an end in order.
///
/// It is made before the engine, so that a signal is never too early, and may be requested from anywhere: a signal, a
/// service group's graceful shutdown.
///
/// ```swift
/// try await withGracefulShutdownHandler {
///     try await engine.runBatch(items, until: shutdown)
/// } onGracefulShutdown: {
///     shutdown.request()
/// }
/// ```
package final class Shutdown: Sendable {
    private struct State {
        var isRequested = false
        var boards: [ObjectIdentifier: WorkBoard] = [:]
    }

    private let state = Mutex(State())

    /// Makes a shutdown that nobody has asked for.
    package init() {}

    /// Whether somebody has asked for the end.
    package var isRequested: Bool { self.state.withLock { $0.isRequested } }

    /// Asks for the end: when this returns, no engine begins anything more. Asking again changes nothing.
    package func request() {
        let boards = self.state.withLock { state in
            state.isRequested = true
            return Array(state.boards.values)
        }
        for board in boards { board.drain() }
    }

    /// Lets a board drain when the end is requested, or at once if it has been.
    func attach(_ board: WorkBoard) {
        let isRequested = self.state.withLock { state in
            state.boards[ObjectIdentifier(board)] = board
            return state.isRequested
        }
        if isRequested { board.drain() }
    }

    /// Lets go of a board.
    func detach(_ board: WorkBoard) {
        self.state.withLock { $0.boards[ObjectIdentifier(board)] = nil }
    }
}
