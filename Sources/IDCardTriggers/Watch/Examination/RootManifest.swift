/// The manifest of a watched root: what its rows say about the files of the root.
///
/// Rows whose files are not there yet wait for them; rows that name files outside the root mean nothing here.
struct RootManifest: Sendable {
    /// The file, and how it looked when it was read.
    var shape: FileShape
    /// What is wrong with it, if it cannot be used.
    var problem: String?
    private var rows: [PathBytes: [ManifestRow]] = [:]

    /// Reads a manifest; it may be one that cannot be used.
    init(path: String, shape: FileShape, root: WatchedRoot, limits: BatchLimits) {
        self.shape = shape
        do throws(BatchSourceError) {
            let manifest = try Manifest(path: path, limits: limits, followingLinks: false)
            for row in manifest.rows {
                let path = PathText.isAbsolute(row.path) ? row.path : PathText.join(root.path, row.path)
                self.rows[Self.key(path), default: []].append(row)
            }
        } catch {
            self.problem = error.message
        }
    }

    /// The rows about a file, in their order.
    func rows(for path: String) -> [ManifestRow] {
        self.rows[Self.key(path)] ?? []
    }

    /// A path without `.` and `..`, whether or not there is such a file.
    private static func key(_ path: String) -> PathBytes {
        var parts: [String] = []
        for part in PathText.components(of: path) where part != "." {
            if part == ".." { parts.removeLast(min(1, parts.count)) } else { parts.append(part) }
        }
        return PathBytes("/" + parts.joined(separator: "/"))
    }
}
