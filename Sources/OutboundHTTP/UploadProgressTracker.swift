import Synchronization

/// Follows one upload over all its attempts and reports a progress that never runs backwards.
///
/// Give the same tracker to every attempt of the same upload, one after the other.
package final class UploadProgressTracker: Sendable {
    private struct State {
        var bodyBytes: UInt64 = 0
        var contentLength: UInt64 = 0
        var totalBytes: UInt64 = 0
        var attemptBytes: UInt64 = 0
    }

    private let state = Mutex(State())
    private let report: @Sendable (UploadProgress) -> Void

    /// Makes a tracker.
    ///
    /// - Parameter report: called with every progress, in order, on an event loop: it must not block.
    package init(_ report: @escaping @Sendable (UploadProgress) -> Void = { _ in }) {
        self.report = report
    }

    /// The progress so far; of length 0 before the first attempt.
    package var progress: UploadProgress { self.state.withLock { Self.progress($0) } }

    /// Begins an attempt whose head of so many bytes was sent.
    func begin(headBytes: Int, contentLength: UInt64) {
        self.change { state in
            state.contentLength = contentLength
            state.attemptBytes = 0
            state.totalBytes += UInt64(headBytes)
        }
    }

    /// Counts bytes of the body of this attempt.
    func send(_ count: Int) {
        self.change { state in
            state.attemptBytes += UInt64(count)
            state.totalBytes += UInt64(count)
            state.bodyBytes = max(state.bodyBytes, state.attemptBytes)
        }
    }

    private func change(_ change: (inout State) -> Void) {
        self.report(
            self.state.withLock { state in
                change(&state)
                return Self.progress(state)
            }
        )
    }

    private static func progress(_ state: State) -> UploadProgress {
        UploadProgress(
            bodyBytes: state.bodyBytes,
            contentLength: state.contentLength,
            totalBytes: state.totalBytes
        )
    }
}
