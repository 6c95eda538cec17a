import IDCardSandbox

extension SandboxStorage {
    /// Takes the figures of the configuration.
    init(_ configuration: AppConfiguration.Sandbox) {
        self.init()
        self.busyTimeout = configuration.busyTimeout
        self.writeAheadLimit = configuration.writeAheadLimit
        self.intakeFreeSpace = configuration.intakeFreeSpace
        self.workFreeSpace = configuration.workFreeSpace
        self.ballast = configuration.ballast
        self.maximumBytes = configuration.maximumBytes
        self.keepsUpgradeBackup = configuration.keepsUpgradeBackup
        self.recentImages = configuration.recentImages
    }
}
