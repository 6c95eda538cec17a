import CardModel
import Foundation
import SystemPackage

/// Finds the files of the user's paths.
struct InputLocator {
    /// A path that the user named.
    enum Named {
        case file(FilePath, ListedFile.Origin)
        case folder(FilePath, real: FilePath)
        case unusable(FilePath, Errno)
    }

    /// The folder of the sandbox.
    let own: OwnFolder
    /// The most files of one folder.
    let limit: Int
    private(set) var named: [Named] = []
    private(set) var roots: [FilePath: FolderPath] = [:]
    private(set) var realFolders: [FilePath: FilePath] = [:]
    private(set) var written = WrittenPaths()
    /// How many files and folders each rule of `IgnoredNames` skipped.
    private(set) var skipped: [String: Int] = [:]

    /// Lists the files that paths name, in the order of the paths.
    ///
    /// - Throws: `CodedError` with `input_not_found`, `input_unreadable` or `too_many_inputs`.
    mutating func candidates(of paths: [String]) throws(CodedError) -> [ListedFile] {
        // Look up all paths first: an image belongs to the nearest named folder, even if that one is named later.
        for path in self.withoutShellExpansions(paths) { try self.locate(path) }
        var candidates: [ListedFile] = []
        for input in self.named {
            switch input {
            case .file(let source, let origin): candidates.append(self.candidate(at: source, origin: origin))
            case .folder(let source, let real):
                var walk = FolderWalk(root: real, source: source, roots: self.roots, own: self.own, limit: self.limit)
                candidates += try walk.candidates()
                self.count(walk.skipped)
            case .unusable(let source, let error):
                candidates.append(self.unusable(source, .found, .inputCannotOpen(error.rawValue)))
            }
        }
        return candidates
    }

    /// Looks a single file up, as named by a row of a manifest or on the command line.
    ///
    /// - Parameter confines: the real path of the folder that must contain the file, if any.
    mutating func candidate(at source: FilePath, origin: ListedFile.Origin, within confines: FilePath? = nil)
        -> ListedFile
    {
        do {
            let isLink = try source.status(followingLinks: false).kind == .link
            let path = try self.realFolder(source.removingLastComponent()).appending(source.components.suffix(1))
            // Without a link, the real path of the file follows from that of its folder, which is cached.
            let real = isLink || source.lastComponent?.kind != .regular ? try source.real() : path
            let status = try real.realStatus()
            let problem: Message? =
                switch status.kind {
                case .folder: .inputIsFolder
                case .link, .other: .inputNotRegular
                case .file where self.own.holds(real): .inputInSandbox
                case .file where confines.map { real == $0 || !real.starts(with: $0) } ?? false: .inputOutsideManifest
                case .file where !real.isUTF8: .inputPathNotUTF8
                case .file: nil
                }
            if let problem { return self.unusable(source, origin, problem) }
            return ListedFile(source.text, at: path, real: real, origin, .file(FileIdentity(path: real.text, status)))
        } catch {
            let similar = error.isAbsence ? self.written.similarPaths(to: source) : []
            if similar.count == 1 {
                var candidate = self.candidate(at: similar[0], origin: origin, within: confines)
                candidate.written = source
                return candidate
            }
            if similar.count > 1 { return self.unusable(source, origin, .inputAmbiguous) }
            // A path of Windows; here a backslash is an ordinary character.
            let isWindows = source.text.contains("\\")
            let missing: Message = isWindows ? .inputMissingBackslash : .inputMissing
            return self.unusable(source, origin, error.isAbsence ? missing : .inputCannotOpenPath(error.rawValue))
        }
    }

    /// Drops paths with names of `IgnoredNames` that a shell seems to have expanded from `folder/*`.
    ///
    /// A path is intended if it is the only one of its folder, or if its name is hidden: `*` does not match hidden names.
    private mutating func withoutShellExpansions(_ paths: [String]) -> [String] {
        let neighbours = Dictionary(grouping: Set(paths.map { FilePath($0) })) { $0.removingLastComponent() }
        return paths.filter { path in
            let path = FilePath(path)
            guard neighbours[path.removingLastComponent(), default: []].count > 1,
                let rule = IgnoredNames.rule(matching: path.name), !rule.hasPrefix(".*"),
                (try? path.status(followingLinks: false)) != nil
            else { return true }
            self.count([rule: 1])
            return false
        }
    }

    /// Adds the file, folder or matches that a path of the command line names.
    private mutating func locate(_ text: String) throws(CodedError) {
        let path = FilePath(written: text)
        let isOutsideSandbox: Bool
        do throws(Errno) {
            switch try path.status(followingLinks: true).kind {
            case .file:
                self.named.append(.file(path, .named))
                isOutsideSandbox = true
            case .folder: isOutsideSandbox = try self.addRoot(path)
            case .link, .other: throw .notSupported
            }
        } catch {
            guard error.isAbsence else {
                let isOther = error == .notSupported
                throw .unreadable(input: isOther ? .inputNeither(text) : .inputNamedCannotOpen(text, error.rawValue))
            }
            if PathPattern.isPattern(text), try self.expand(text) { return }
            let similar = self.written.similarPaths(to: path)
            if similar.count == 1 { return try self.locate(similar[0].text) }
            let message: Message = similar.isEmpty ? .inputNotFound(text) : .inputNamedAmbiguous(text)
            throw CodedError(.inputNotFound, .input, message)
        }
        guard isOutsideSandbox else { throw .unreadable(input: .inputIsSandbox(text)) }
    }

    /// Adds the matches of a pattern; returns `false` if there are none.
    private mutating func expand(_ text: String) throws(CodedError) -> Bool {
        let (paths, skipped) = try PathPattern.expand(text)
        self.count(skipped)
        var hasMatch = !skipped.isEmpty
        for path in paths {
            do throws(Errno) {
                let isFolder = try path.status(followingLinks: true).kind == .folder
                if !isFolder, Sidecar.belongs(path) { continue }
                hasMatch = true
                if !isFolder {
                    self.named.append(.file(path, .found))
                } else if !IgnoredNames.isArchive(path) {
                    // `addRoot` skips the sandbox, which a pattern may match.
                    _ = try self.addRoot(path)
                }
            } catch {
                self.named.append(.unusable(path, error))
            }
        }
        return hasMatch
    }

    /// - Returns: `false` if the folder is not added, because it is the sandbox's or lies in it.
    private mutating func addRoot(_ path: FilePath) throws(Errno) -> Bool {
        let real = try path.real()
        guard real.isUTF8 else { throw .illegalByteSequence }
        guard !self.own.holds(real) else { return false }
        var root = FolderPath(named: path, real: real)
        // The folder is named twice with different names, for example through a link: the name is ambiguous.
        if let known = self.roots[real], known.rootName != root.rootName { root.rootName = nil }
        self.roots[real] = root
        self.named.append(.folder(path, real: real))
        return true
    }

    private mutating func realFolder(_ folder: FilePath) throws(Errno) -> FilePath {
        if let known = self.realFolders[folder] { return known }
        let real = try folder.real()
        self.realFolders[folder] = real
        return real
    }

    private mutating func unusable(_ source: FilePath, _ origin: ListedFile.Origin, _ message: Message) -> ListedFile {
        var path = source
        if let folder = try? self.realFolder(source.removingLastComponent()) {
            path = folder.appending(source.components.suffix(1))
        }
        return ListedFile(source.text, at: path, origin, .unusable(message))
    }

    private mutating func count(_ skipped: [String: Int]) { self.skipped.merge(skipped, uniquingKeysWith: +) }
}

/// Finds existing paths similar to one that does not exist.
///
/// Similar names differ only in upper and lower case, in blanks around them, or in how accents are composed: macOS and others
/// decompose them.
struct WrittenPaths {
    private var folders: [FilePath: [String: [FilePath.Component]]] = [:]

    mutating func similarPaths(to written: FilePath) -> [FilePath] {
        var paths = [FilePath(root: written.root, [])]
        for component in written.components {
            paths = paths.flatMap { folder in
                let exact = folder.appending(component)
                if (try? exact.status(followingLinks: true)) != nil { return [exact] }
                return self.names(in: folder)[Self.key(component), default: []].map { folder.appending($0) }
            }
        }
        // Excludes the path itself if it is a broken link.
        return paths.filter { (try? $0.status(followingLinks: true)) != nil }
    }

    private mutating func names(in folder: FilePath) -> [String: [FilePath.Component]] {
        if let known = self.folders[folder] { return known }
        let names = (try? OpenFolder(folder.real()).names()) ?? []
        let byKey = Dictionary(grouping: names, by: Self.key)
        self.folders[folder] = byKey
        return byKey
    }

    /// Swift compares texts regardless of how accents are composed.
    private static func key(_ name: FilePath.Component) -> String { name.text.trimmed.lowercased() }
}

extension FilePath {
    /// Makes the path that a person or a program wrote; a `file` URL gives its path (RFC 8089).
    init(written text: String) {
        let start = ["file://localhost/", "file:///", "file:/"].first { text.trimmed.lowercased().hasPrefix($0) }
        let path = start.flatMap { ("/" + text.trimmed.dropFirst($0.count)).removingPercentEncoding }
        self.init(path ?? text)
    }
}
