extension AppConfiguration {
    /// Keys under `sandbox`, but for its path.
    package struct Sandbox: Hashable, Sendable {
        /// How long to wait for a lock that another process holds (`sandbox.busy_timeout`).
        package let busyTimeout: Duration
        /// Size of the write-ahead log from which on readers are waited for, in bytes (`sandbox.wal_limit`).
        package let writeAheadLimit: Int
        /// Free bytes below which nothing more is taken in (`sandbox.intake_free_space`).
        package let intakeFreeSpace: Int
        /// Free bytes below which only what ends cards goes on (`sandbox.work_free_space`).
        package let workFreeSpace: Int
        /// Bytes kept in reserve for a full disk; 0 for none (`sandbox.ballast`).
        package let ballast: Int
        /// Bytes in use from which on nothing more is taken in; 0 for no limit (`sandbox.max_bytes`).
        package let maximumBytes: Int
        /// Whether a sandbox of an older version is copied before it is changed (`sandbox.upgrade_backup`).
        package let keepsUpgradeBackup: Bool
        /// Bytes of images of cards under way kept in memory (`sandbox.image_cache`).
        package let recentImages: Int
        /// Cards under way from which on a service takes nothing more in (`sandbox.max_queue`).
        package let maximumQueueDepth: Int
        /// Cards that wait for a person from which on a service takes nothing more in (`sandbox.max_waiting`).
        package let maximumWaitingDepth: Int

        init(_ values: ResolvedConfiguration) {
            self.busyTimeout = values.require("sandbox.busy_timeout", \.duration)
            self.writeAheadLimit = values.require("sandbox.wal_limit", \.integer)
            self.intakeFreeSpace = values.require("sandbox.intake_free_space", \.integer)
            self.workFreeSpace = values.require("sandbox.work_free_space", \.integer)
            self.ballast = values.require("sandbox.ballast", \.integer)
            self.maximumBytes = values.require("sandbox.max_bytes", \.integer)
            self.keepsUpgradeBackup = values.require("sandbox.upgrade_backup", \.boolean)
            self.recentImages = values.require("sandbox.image_cache", \.integer)
            self.maximumQueueDepth = values.require("sandbox.max_queue", \.integer)
            self.maximumWaitingDepth = values.require("sandbox.max_waiting", \.integer)
        }
    }
}
