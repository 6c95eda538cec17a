/// The names that are never inputs when a folder is walked: what file managers, servers and half-done copies leave
/// behind.
enum SkippedNames {
    /// Whether a name is passed over in silence: dot-files, `.DS_Store`, `Thumbs.db`, `@eaDir`, `*.part`, `*.filepart`,
    /// `*~`.
    static func contains(_ name: String) -> Bool {
        if name.utf8.first == UInt8(ascii: ".") || name.utf8.last == UInt8(ascii: "~") { return true }
        if name == "Thumbs.db" || name == "@eaDir" { return true }
        return PathText.name(name, without: ".part") != nil || PathText.name(name, without: ".filepart") != nil
    }
}
