/// A path or name compared byte by byte.
///
/// `String` compares by canonical equivalence, so two files whose names differ only in Unicode normalisation would be
/// one; to Linux they are two.
struct PathBytes: Hashable, Comparable {
    private let bytes: [UInt8]

    /// Takes the UTF-8 bytes of a path.
    init(_ path: String) {
        self.bytes = Array(path.utf8)
    }

    static func < (left: PathBytes, right: PathBytes) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}
