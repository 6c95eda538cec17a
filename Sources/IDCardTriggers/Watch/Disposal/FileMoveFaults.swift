/// What goes wrong on purpose while a file is put away; nothing, but in tests.
struct FileMoveFaults: Sendable {
    /// With what a rename that replaces nothing fails, as `EINVAL` does on file systems of programs; `nil` if it works.
    var onRename: SystemFailure?
    /// With what a second name fails, as `EPERM` does there.
    var onLink: SystemFailure?
    /// Called before each change in the folders.
    var beforeStep: @Sendable () -> Void = {}
}
