package import IDCardPipeline

/// The sandbox's own word on whether it can work, for `status` and for a readiness check.
package struct SandboxReadiness: Hashable, Sendable {
    /// `PRAGMA synchronous` of the connection that writes, must be 2 (FULL); `nil` where nothing is written.
    package var synchronousLevel: Int?
    /// Why nothing is written any more, if the disk failed to store something durably.
    package var failure: String?
    /// Why the write-ahead log could not be moved into the database when that was last tried, if it could not.
    package var checkpointFailure: String?
    /// Why nothing can be read or written: the key under which the sandbox works is not here.
    package var keyFailure: String?
    /// Why erasures cannot be logged, if they cannot: none is finished then.
    package var erasureFailure: String?
    /// How much room there is for more work.
    package var space: StoreSpace
    /// The bytes that the sandbox may still write, as the file system says.
    package var freeBytes: Int
    /// The bytes in use in the database and in the write-ahead log.
    package var usedBytes: Int
    /// The most bytes that may be in use; 0 if there is no limit.
    package var maximumBytes: Int
    /// The size of the write-ahead log in bytes.
    package var logBytes: Int
    /// Whether there is a reserve for finishing work on a full disk, or none is wanted.
    package var hasReserve: Bool

    /// Whether everything is as it should be.
    package var isReady: Bool { self.findings.isEmpty }

    /// What is not as it should be, for a person; one sentence each.
    package var findings: [String] {
        var findings: [String] = []
        if let level = self.synchronousLevel, level != 2 {
            findings.append("SQLite does not commit durably (synchronous is \(level), must be 2); please report this")
        }
        findings += [self.keyFailure, self.failure, self.checkpointFailure, self.erasureFailure, self.space.message]
            .compactMap { $0 }
        return findings
    }
}
