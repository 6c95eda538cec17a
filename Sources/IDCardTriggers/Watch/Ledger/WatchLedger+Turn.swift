extension WatchLedger {
    /// A file that is complete, and its turn.
    struct Ready: Hashable, Sendable {
        /// Where it is.
        var file: WatchedPath
        /// How it looked when it was found to be complete.
        var shape: FileShape
        /// When it was found to be complete first.
        var since: Duration
        /// How often it was put off.
        var tries: Int
    }

    /// What became of a file whose turn it was.
    enum End: Hashable, Sendable {
        /// It is not there any more, or put away.
        case gone
        /// It stays, and is no input as long as it stays as it is.
        case settled(FileShape)
        /// It stays, and the next scan will find it again.
        case untilNextScan
        /// It is not what it was: it is to be looked at again.
        case changed
        /// It stays, and its turn comes again; `counts` tells whether as a failed try.
        case putOff(until: Duration, counts: Bool)
        /// Likewise, but for something that concerns its root alone: files of other roots do not wait for its room.
        case parked(until: Duration, counts: Bool)
    }
}

extension WatchLedger {
    /// Notes that a scan of a root begins.
    mutating func scanBegins(root: Int) {
        self.settled.scanBegins(root: root)
        self.unplaced.scanBegins(root: root)
        self.unassigned.scanBegins(root: root)
    }

    /// Notes that a scan of a root has met all that there is.
    mutating func scanEnds(root: Int) {
        self.settled.scanEnds(root: root)
        self.unplaced.scanEnds(root: root)
        self.unassigned.scanEnds(root: root)
    }
}
