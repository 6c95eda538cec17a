/// What nobody has a reason to set.
enum InputLimits {
    /// The most files of one list, those that are no images included: what a listing holds in memory stays below 1 GB.
    static let inputs = 1_000_000
    /// The largest sidecar in bytes; it has six short fields.
    static let sidecarBytes = 65_536
    /// The largest manifest in bytes; a million rows of 256 bytes, read as a whole.
    static let manifestBytes = 268_435_456
    /// How many bytes at the start of a file tell whether it is an image.
    static let sniffBytes = 4096
    /// The levels of `folder:LEVEL`; a path has no more folders that anybody would count.
    static let levels = 1...64
    /// How many unknown columns a message names, and how long each may be there.
    static let shownNames = (count: 5, length: 40)
}
