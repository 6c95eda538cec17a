import IDCardTriggers

extension AppConfiguration {
    /// Keys under `watch`.
    package struct Watch: Sendable {
        /// Folders to watch (`watch.folders`).
        package let folders: [String]
        /// Names that a manifest in a folder may have, watched or run over (`watch.manifests`).
        package let manifests: [String]
        /// Where files are put away (`watch.done_folder`, `watch.failed_folder`): no inputs of a run.
        package let putAwayFolders: [String]
        /// How they are watched, but for what the inputs are.
        let settings: @Sendable (BatchOptions) -> WatchSettings

        init(_ values: ResolvedConfiguration) {
            self.folders = values.find("watch.folders", \.list) ?? []
            self.manifests = values.require("watch.manifests", \.list)
            self.putAwayFolders = [
                values.require("watch.done_folder", \.text), values.require("watch.failed_folder", \.text),
            ]
            self.settings = { Self.settings(values, inputs: $0) }
        }

        private static func settings(_ values: ResolvedConfiguration, inputs: BatchOptions) -> WatchSettings {
            var settings = WatchSettings(inputs: inputs)
            settings.mode = values.word("watch.mode")
            settings.after = values.word("watch.after")
            settings.doneFolder = values.require("watch.done_folder", \.text)
            settings.failedFolder = values.require("watch.failed_folder", \.text)
            settings.rescanInterval = values.require("watch.rescan_interval", \.duration)
            settings.pollInterval = values.require("watch.poll_interval", \.duration)
            settings.quietTime = values.require("watch.quiet_time", \.duration)
            settings.closeWait = values.require("watch.close_wait", \.duration)
            settings.openWait = values.require("watch.open_wait", \.duration)
            settings.doneMarker = values.find("watch.done_marker", \.text)
            settings.ignoredPatterns = values.find("watch.ignore", \.list) ?? []
            settings.sidecar = values.find("watch.sidecar", \.text).flatMap(WatchSettings.SidecarRule.init)
            settings.sidecarWait = values.require("watch.sidecar_wait", \.duration)
            settings.manifests = values.require("watch.manifests", \.list)
            settings.manifestBytes = values.require("watch.max_manifest_bytes", \.integer)
            settings.concurrency = values.require("watch.concurrency", \.integer)
            settings.retryBase = values.require("watch.retry_base", \.duration)
            settings.retryCap = values.require("watch.retry_cap", \.duration)
            settings.attempts = values.require("watch.attempts", \.integer)
            settings.pendingFiles = values.require("watch.pending_files", \.integer)
            return settings
        }
    }
}
