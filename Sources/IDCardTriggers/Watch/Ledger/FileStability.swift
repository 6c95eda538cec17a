/// Decides when a file is complete: when inotify told that it was closed or moved in and nothing has changed since, or
/// when size and modification time stood still for a while over two looks.
///
/// It looks at nothing and has no clock: whoever has says what was seen and when.
struct FileStability {
    /// What a look came to.
    enum Verdict: Hashable {
        /// The file is complete.
        case complete
        /// It is not, as far as can be told before this time.
        case lookAgain(at: Duration)
    }

    private struct Observation {
        var shape: FileShape?
        /// When it was first seen in this shape.
        var since = Duration.zero
        /// Whether its end was told of since the last look.
        var wasClosed = false
        /// Whether it is in this shape since its end was told of.
        var isClosed = false
        /// Whether it was seen to be created, and not yet to be closed.
        var isOpen = false
        /// Whether its name was seen to appear, and nothing was told of it since.
        var hasJustAppeared = false
    }

    private let quietTime: Duration
    private let closeWait: Duration
    private let openWait: Duration
    private var observations: [PathBytes: Observation] = [:]

    /// Takes the waits: see `WatchSettings`.
    init(quietTime: Duration, closeWait: Duration, openWait: Duration) {
        self.quietTime = quietTime
        self.closeWait = closeWait
        self.openWait = max(openWait, quietTime)
    }

    /// How many files are kept in mind.
    var count: Int { self.observations.count }

    /// Notes that a name was seen to appear: of a file that is being created, or a further one of a file that is there.
    ///
    /// Servers that move a file by a second name (OpenSSH's for SFTP) are told of like this and never of a close, and so
    /// are files that were written without a name. Which it is shows once somebody writes.
    mutating func appeared(_ file: PathBytes) {
        var observation = Observation()
        observation.hasJustAppeared = true
        self.observations[file] = observation
    }

    /// Whether a name has appeared, and nothing was told of it since.
    func hasJustAppeared(_ file: PathBytes) -> Bool {
        self.observations[file]?.hasJustAppeared ?? false
    }

    /// Notes that a file was seen being created.
    mutating func created(_ file: PathBytes) {
        var observation = Observation()
        observation.isOpen = true
        self.observations[file] = observation
    }

    /// Notes that a file was closed after writing, or moved in.
    mutating func closed(_ file: PathBytes) {
        self.observations[file, default: Observation()].wasClosed = true
        self.observations[file]?.isOpen = false
        self.observations[file]?.hasJustAppeared = false
    }

    /// Notes how a file looks now.
    mutating func seen(_ file: PathBytes, as shape: FileShape, now: Duration) -> Verdict {
        var observation = self.observations[file] ?? Observation()
        if observation.shape != shape {
            observation.shape = shape
            observation.since = now
            observation.isClosed = false
        }
        if observation.wasClosed {
            observation.wasClosed = false
            observation.isClosed = true
            observation.since = now
        }
        self.observations[file] = observation
        let end = observation.since + self.wait(observation, shape)
        guard now >= end else { return .lookAgain(at: end) }
        self.observations[file]?.hasJustAppeared = false
        return .complete
    }

    private func wait(_ observation: Observation, _ shape: FileShape) -> Duration {
        // Some programs make an empty file first, close it, and come back to fill it.
        if observation.isClosed, shape.size > 0 { return self.closeWait }
        // A file that appeared empty is still to be written.
        let isOpen = observation.isOpen || (observation.hasJustAppeared && shape.size == 0)
        // A further name for a file that is there is never told to be closed.
        return isOpen && shape.names == 1 ? self.openWait : self.quietTime
    }

    /// Forgets a file.
    mutating func forget(_ file: PathBytes) {
        self.observations[file] = nil
    }

    /// Expects no end to be told of any more: it may be among what was lost.
    mutating func forgetOpenings() {
        for file in self.observations.keys {
            self.observations[file]?.isOpen = false
            self.observations[file]?.hasJustAppeared = false
        }
    }
}
