import CardModel
import Glibc
import SystemPackage

/// Finds what a path with wildcards names, when the shell has not done so.
///
/// Each component is matched by fnmatch(3); a component `**` stands for any number of folders, also none, and at the
/// end for all files below. A slash at the end keeps folders only. Wildcards pass over the names of `NeverInputs`, and
/// over symbolic links that leave the fixed part of the pattern; `**` enters no linked folder.
struct WildcardExpansion {
    /// What a match is.
    enum Kind {
        /// A file, or something else that is no folder.
        case file
        /// A folder: an input root.
        case folder
        /// A folder that could not be listed on the way, and why.
        case unusable(Errno)
    }

    private let pattern: [FilePath.Component]
    private let keepsOnlyFolders: Bool
    /// The folder before the first wildcard.
    private var fixed: FilePath
    private var base: FilePath = ""
    private var matches: [FilePath: Kind] = [:]
    /// How often each rule of `NeverInputs` passed something over.
    private(set) var passedOver: [String: Int] = [:]

    /// Whether a path has wildcards.
    static func isPattern(_ path: String) -> Bool { path.contains { "*?[".contains($0) } }

    /// Takes a path apart.
    init(_ path: String) {
        let whole = FilePath(path)
        let components = Array(whole.components)
        let count = components.prefix { !Self.hasWildcard($0) }.count
        self.fixed = FilePath(root: whole.root, components.prefix(count))
        self.pattern = Array(components.dropFirst(count))
        self.keepsOnlyFolders = path.utf8.last == UInt8(ascii: "/")
    }

    /// Lists what the pattern names, sorted by the bytes of the paths; empty if there is nothing.
    mutating func expand() -> [(path: FilePath, kind: Kind)] {
        // If the fixed part does not exist, nothing matches; the caller reports that.
        guard let base = try? self.fixed.real() else { return [] }
        self.base = base
        self.descend(from: self.fixed, into: self.pattern[...])
        return self.matches.sorted { $0.key.precedes($1.key) }.map { ($0.key, $0.value) }
    }

    private static func hasWildcard(_ component: FilePath.Component) -> Bool {
        component.text.utf8.contains { "*?[\\".utf8.contains($0) }
    }

    private mutating func descend(from folder: FilePath, into components: ArraySlice<FilePath.Component>) {
        guard let component = components.first else { return self.accept(folder) }
        let rest = components.dropFirst()
        if component.text == "**" { return self.descendAnyDepth(from: folder, rest) }
        guard Self.hasWildcard(component) else {
            let path = folder.appending(component)
            if (try? path.status(followingLinks: true)) != nil { self.descend(from: path, into: rest) }
            return
        }
        for name in Self.matching(component, self.names(in: folder)) where !self.isPassedOver(name) {
            let path = folder.appending(name)
            guard let kind = self.kind(of: path) else { continue }
            if rest.isEmpty || kind == .folder { self.descend(from: path, into: rest) }
        }
    }

    private mutating func descendAnyDepth(from folder: FilePath, _ rest: ArraySlice<FilePath.Component>) {
        if !rest.isEmpty { self.descend(from: folder, into: rest) }
        for name in self.names(in: folder) where name.text.utf8.first != UInt8(ascii: ".") {
            let path = folder.appending(name)
            guard let status = try? path.status(followingLinks: false) else { continue }
            // What stays here comes up again in `descend`; it is counted there.
            if status.kind != .folder, !rest.isEmpty { continue }
            guard !self.isPassedOver(name) else { continue }
            if status.kind == .folder {
                self.descendAnyDepth(from: path, rest)
            } else if self.kind(of: path) != nil {
                self.accept(path)
            }
        }
    }

    /// The kind of what a path leads to; `nil` if nothing, or out of the fixed part.
    private func kind(of path: FilePath) -> stat.Kind? {
        guard let status = try? path.status(followingLinks: false) else { return nil }
        guard status.kind == .link else { return status.kind }
        guard let real = try? path.real(), real.starts(with: self.base) else { return nil }
        return try? real.status(followingLinks: false).kind
    }

    private mutating func names(in folder: FilePath) -> [FilePath.Component] {
        do {
            return try folder.names().filter { $0.isUTF8 }
        } catch {
            if !error.isAbsence { self.matches[folder] = .unusable(error) }
            return []
        }
    }

    private mutating func isPassedOver(_ name: FilePath.Component) -> Bool {
        // Only a pattern that starts with a dot matches a hidden name, and then that is meant.
        let shown = name.text.utf8.first == UInt8(ascii: ".") ? String(name.text.dropFirst()) : name.text
        guard let rule = NeverInputs.rule(passingOver: shown) else { return false }
        self.passedOver[rule, default: 0] += 1
        return true
    }

    private mutating func accept(_ path: FilePath) {
        guard let kind = try? path.status(followingLinks: true).kind else { return }
        if kind == .folder {
            self.matches[path] = .folder
        } else if !self.keepsOnlyFolders, !Sidecar.belongs(path) {
            self.matches[path] = .file
        }
    }

    /// The names that match a pattern.
    static func matching(
        _ pattern: FilePath.Component,
        _ names: [FilePath.Component]
    ) -> [FilePath.Component] {
        // In the C locale `?` would stand for one byte, a third of a Chinese character.
        let utf8 = newlocale(1 << LC_CTYPE, "C.UTF-8", nil)
        let before = utf8.map { uselocale($0) }
        defer {
            if let before { uselocale(before) }
            if let utf8 { freelocale(utf8) }
        }
        return names.filter { name in
            pattern.withPlatformString { pattern in
                name.withPlatformString { fnmatch(pattern, $0, FNM_PERIOD) == 0 }
            }
        }
    }
}
