extension WatchSettings {
    /// Checks that the settings make sense.
    func check() throws(WatchError) {
        let waits: [(String, Duration)] = [
            ("watch.rescan_interval", self.rescanInterval), ("watch.poll_interval", self.pollInterval),
            ("watch.quiet_time", self.quietTime), ("watch.retry_base", self.retryBase),
            ("watch.retry_cap", self.retryCap),
        ]
        for (key, wait) in waits where wait <= .zero {
            throw WatchError(.settingInvalid, "\(key) is \(wait); it must be longer than 0")
        }
        let counts = [
            ("watch.concurrency", self.concurrency), ("watch.attempts", self.attempts),
            ("watch.pending_files", self.pendingFiles), ("watch.max_manifest_bytes", self.manifestBytes),
        ]
        for (key, count) in counts where count < 1 {
            throw WatchError(.settingInvalid, "\(key) is \(count); it must be at least 1")
        }
        for (key, folder) in [("watch.done_folder", self.doneFolder), ("watch.failed_folder", self.failedFolder)] {
            let parts = PathText.components(of: folder)
            guard !parts.isEmpty, !parts.contains(".."), !folder.utf8.contains(0) else {
                throw WatchError(.settingInvalid, "\(key) must name a folder, without `..`")
            }
        }
        if let marker = self.doneMarker {
            guard !marker.isEmpty, !marker.utf8.contains(UInt8(ascii: "/")), marker != Sidecar.suffix else {
                throw WatchError(.settingInvalid, "watch.done_marker must be a suffix such as .done, and not .json")
            }
        }
    }
}
