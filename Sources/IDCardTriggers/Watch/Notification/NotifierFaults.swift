/// What is to go wrong with inotify on purpose; nothing, but in tests.
struct NotifierFaults: Sendable {
    /// Why it cannot be had at all.
    var atStart: SystemFailure?
    /// Why it cannot be had for a folder.
    var onWatch: @Sendable (WatchedPath) -> SystemFailure? = { _ in nil }
    /// Called before each read.
    var beforeReading: @Sendable () -> Void = {}
}
