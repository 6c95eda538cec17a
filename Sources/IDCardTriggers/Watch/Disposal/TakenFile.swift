/// A source file whose card is durable, or that is refused, as it was when that was decided.
struct TakenFile: Hashable, Sendable {
    /// A file that goes wherever the image goes: sidecar or done-marker.
    struct Companion: Hashable, Sendable {
        /// What its name has after the image's.
        var suffix: String
        /// How it looked.
        var shape: FileShape
    }

    /// The root it lies in.
    var root: WatchedRoot
    /// The folders between the root and the file.
    var folders: [String]
    /// Its name.
    var name: String
    /// How it looked.
    var shape: FileShape
    /// What goes with it.
    var companions: [Companion] = []

    private var below: String { (self.folders + [self.name]).joined(separator: "/") }

    /// The absolute path.
    var path: String { PathText.join(self.root.path, self.below) }

    /// The path as the user would write it.
    var source: String { PathText.join(self.root.given, self.below) }
}
