/// Takes paths apart and joins them, byte by byte: a slash followed by a combining mark is still a separator.
enum PathText {
    private static let slash = UInt8(ascii: "/")

    /// Joins a folder and what lies below it.
    static func join(_ folder: String, _ below: String) -> String {
        guard !folder.isEmpty else { return below }
        return folder.utf8.last == self.slash ? folder + below : folder + "/" + below
    }

    /// Returns the components between slashes; empty ones are left out.
    static func components(of path: String) -> [String] {
        path.utf8.split(separator: self.slash).map { String(Substring($0)) }
    }

    /// Returns the last component; empty for the root and the empty path.
    static func name(of path: String) -> String {
        self.components(of: path).last ?? ""
    }

    /// Returns what stands before the last component, as written: `a` of `a/b`, `/` of `/b`, nothing of `b`.
    static func folder(of path: String) -> String {
        var bytes = Array(path.utf8)
        while bytes.count > 1, bytes.last == self.slash { bytes.removeLast() }
        while let last = bytes.last, last != self.slash { bytes.removeLast() }
        while bytes.count > 1, bytes.last == self.slash { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Whether a path starts at the root.
    static func isAbsolute(_ path: String) -> Bool {
        path.utf8.first == self.slash
    }

    /// Whether a real path lies below a real folder.
    static func lies(_ path: String, below folder: String) -> Bool {
        let prefix = self.join(folder, "").utf8
        return path.utf8.count > prefix.count && path.utf8.starts(with: prefix)
    }

    /// Returns a name without a suffix, or `nil` if it does not end so or nothing is left.
    static func name(_ name: String, without suffix: String) -> String? {
        let rest = name.utf8.count - suffix.utf8.count
        guard rest > 0, name.utf8.dropFirst(rest).elementsEqual(suffix.utf8) else { return nil }
        return String(decoding: name.utf8.prefix(rest), as: UTF8.self)
    }
}
