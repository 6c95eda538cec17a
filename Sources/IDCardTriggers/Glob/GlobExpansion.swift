/// Finds what a path with wildcards names, when the shell has not done so.
///
/// Each component is a `GlobPattern`; a component `**` stands for any number of folders, also none, and at the end for
/// all files below. A slash at the end keeps folders only. Wildcards pass over the names of `SkippedNames`, and over
/// symbolic links that leave the fixed part of the pattern; `**` enters no linked folder.
struct GlobExpansion {
    /// Something that the pattern names.
    struct Match {
        /// The path, built from the pattern's own text.
        var source: String
        /// What it is.
        var kind: Kind
    }

    /// What a match is.
    enum Kind: Hashable {
        /// A file, or something else that is no folder.
        case file
        /// A folder: an input root.
        case folder
        /// A folder that could not be listed on the way, and why.
        case unusable(String)
    }

    private enum Component: Hashable {
        case literal(String)
        case pattern(GlobPattern)
        case anyDepth
    }

    /// The folder before the first wildcard.
    private let fixedFolder: String
    private let components: [Component]
    private let keepsOnlyFolders: Bool
    private var base = ""
    private var matches: [PathBytes: Match] = [:]

    /// Takes a path apart.
    init(_ path: String) {
        var fixed = PathText.isAbsolute(path) ? "/" : ""
        var components: [Component] = []
        for text in PathText.components(of: path) {
            let pattern = GlobPattern(text)
            if let literal = pattern.literal {
                if components.isEmpty {
                    fixed = PathText.join(fixed, literal)
                } else {
                    components.append(.literal(literal))
                }
            } else if text == "**" {
                if components.last != .anyDepth { components.append(.anyDepth) }
            } else {
                components.append(.pattern(pattern))
            }
        }
        self.fixedFolder = fixed
        self.components = components
        self.keepsOnlyFolders = path.utf8.last == UInt8(ascii: "/")
    }

    /// Lists what the pattern names, sorted by the bytes of the paths; empty if there is nothing.
    mutating func expand() -> [Match] {
        guard let base = try? FileKind.realPath(of: self.fixedFolder.isEmpty ? "." : self.fixedFolder) else {
            // The fixed part does not exist, so nothing matches; the caller reports that.
            return []
        }
        self.base = base
        self.descend(from: self.fixedFolder, into: self.components[...])
        return self.matches.sorted { $0.key < $1.key }.map(\.value)
    }

    private mutating func descend(from folder: String, into components: ArraySlice<Component>) {
        guard let component = components.first else { return self.accept(folder) }
        let rest = components.dropFirst()
        switch component {
        case .literal(let name):
            let path = PathText.join(folder, name)
            if (try? FileKind.of(path, followingLinks: true)) != nil { self.descend(from: path, into: rest) }
        case .pattern(let pattern):
            for entry in self.entries(of: folder) where pattern.matches(entry.name) {
                let path = PathText.join(folder, entry.name)
                if !rest.isEmpty, !self.isFolder(entry, at: path) { continue }
                self.descend(from: path, into: rest)
            }
        case .anyDepth:
            if !rest.isEmpty { self.descend(from: folder, into: rest) }
            for entry in self.entries(of: folder) where entry.name.utf8.first != UInt8(ascii: ".") {
                let path = PathText.join(folder, entry.name)
                if entry.kind == .folder {
                    self.descend(from: path, into: components)
                } else if rest.isEmpty {
                    self.accept(path)
                }
            }
        }
    }

    private mutating func entries(of folder: String) -> [FolderListing.Entry] {
        do {
            return try FolderListing(of: folder.isEmpty ? "." : folder).entries.filter { entry in
                // Only a pattern that starts with a dot matches such a name; the rest of the skipped names never match.
                let name = entry.name.utf8.first == UInt8(ascii: ".") ? String(entry.name.dropFirst()) : entry.name
                return entry.isDecodable && !SkippedNames.contains(name)
                    && (entry.kind != .link || self.staysInside(PathText.join(folder, entry.name)))
            }
        } catch {
            if error.isAbsence { return [] }
            let message = "this folder cannot be listed (\(error)); make it readable and run again"
            self.matches[PathBytes(folder)] = Match(source: folder, kind: .unusable(message))
            return []
        }
    }

    private func staysInside(_ path: String) -> Bool {
        if case .refused = LinkTarget(of: path, within: self.base) { false } else { true }
    }

    private func isFolder(_ entry: FolderListing.Entry, at path: String) -> Bool {
        guard entry.kind == .link else { return entry.kind == .folder }
        return (try? FileKind.of(path, followingLinks: true)) == .folder
    }

    private mutating func accept(_ path: String) {
        guard let kind = try? FileKind.of(path, followingLinks: true) else { return }
        if kind == .folder {
            self.matches[PathBytes(path)] = Match(source: path, kind: .folder)
        } else if !self.keepsOnlyFolders, !Sidecar.isSidecar(path) {
            self.matches[PathBytes(path)] = Match(source: path, kind: .file)
        }
    }
}
