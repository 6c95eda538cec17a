/// Where a folder lies that was walked into: below the nearest folder that the user named.
struct FolderPlace: Hashable, Sendable {
    /// The name of the named folder; `nil` if it has none to lend.
    var rootName: String?
    /// The names of the folders below it, down to this one; none for the named folder itself.
    var folders: [String] = []

    /// The place of a folder in this one.
    func below(_ name: String) -> FolderPlace {
        FolderPlace(rootName: self.rootName, folders: self.folders + [name])
    }
}

extension FolderPlace {
    /// The place of a folder that the user named.
    ///
    /// - Parameters:
    ///   - given: the folder as the user wrote it.
    ///   - real: its real path, which has the name if that is written as `.` or `..`.
    init(named given: String, real: String) {
        let written = PathText.name(of: given)
        let name = ["", ".", ".."].contains(written) ? PathText.name(of: real) : written
        self.init(rootName: name.isEmpty || PutAwayMark.marks(real) ? nil : name)
    }
}
