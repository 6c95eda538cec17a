/// The folders into which a watch puts files, as a run over the folder above them sees them: nothing in them is an input,
/// and their names are no business numbers.
struct PutAwayFolders {
    /// What a watch calls its folders unless told otherwise.
    static let defaultNames: Set<String> = ["done", "failed"]

    private let written: [String]
    private let ownNames: Set<String>

    /// Takes the folders as the configuration writes them: below each watched folder, or absolute.
    init(_ written: [String]) {
        self.written = written
        let relative = written.filter { !PathText.isAbsolute($0) }
        self.ownNames = Self.defaultNames.union(relative.map(PathText.name(of:)))
    }

    /// Whether a folder of this name lends it as business number.
    func lends(_ name: String) -> Bool { !self.ownNames.contains(name) }

    /// The absolute paths that they have if a folder is a watched one.
    func places(in root: String) -> Set<PathBytes> {
        var places: Set<PathBytes> = []
        for folder in self.written {
            let parts = PathText.components(of: folder).filter { $0 != "." }
            guard !parts.isEmpty else { continue }
            let path = PathText.join(PathText.isAbsolute(folder) ? "/" : root, parts.joined(separator: "/"))
            places.insert(PathBytes(path))
            if let real = try? FileKind.realPath(of: path) { places.insert(PathBytes(real)) }
        }
        return places
    }
}
