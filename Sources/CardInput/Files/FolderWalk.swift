import CardModel
import Glibc
import SystemPackage

/// Walks a folder that the user named and everything below it.
///
/// A real folder is entered once. Symbolic links are followed only within the given folder, and links to folders only after all
/// real folders, so a file keeps the name of its real folder and loops end by themselves. Names of `IgnoredNames`, folders of
/// archived files and the sandbox are skipped.
struct FolderWalk {
    /// How a watched folder is walked: links are not followed.
    struct Watching {
        var ignores: (_ name: FilePath.Component, _ folder: FolderPath) -> Bool
        /// Called for each folder before it is listed; returns the reason not to enter it, if any.
        var entering: (_ folder: FilePath, _ folderPath: FolderPath) -> Message?
        /// Called for each empty folder below the watched one.
        var reportEmpty: (_ folder: FilePath) -> Void = { _ in }
    }

    struct Folder {
        var path: FilePath
        /// The path below the root by which the folder was reached, perhaps through a link; empty for the root.
        var below: FilePath
        var folderPath: FolderPath
    }

    let root: FilePath
    /// The folder as the user wrote it.
    let source: FilePath
    /// All folders that the user named, by their real paths.
    let roots: [FilePath: FolderPath]
    /// The folder of the sandbox.
    let own: OwnFolder
    /// The most files.
    let limit: Int
    var watching: Watching?
    private(set) var pending: [Folder] = []
    private(set) var linked: [Folder] = []
    private(set) var entered: Set<FilePath> = []
    private(set) var found: [(below: FilePath, candidate: ListedFile)] = []
    /// How many files and folders each rule of `IgnoredNames` skipped.
    private(set) var skipped: [String: Int] = [:]

    /// Lists the files, sorted by the bytes of their paths.
    ///
    /// - Throws: `input_unreadable` if the folder itself cannot be listed, `too_many_inputs` beyond the limit.
    mutating func candidates() throws(CodedError) -> [ListedFile] {
        self.pending = [Folder(path: self.root, below: "", folderPath: self.roots[self.root] ?? FolderPath())]
        while let folder = self.nextFolder() {
            guard !self.own.holds(folder.path), self.entered.insert(folder.path).inserted else { continue }
            try self.list(folder)
            guard self.found.count <= self.limit else { throw .tooManyInputs(limit: self.limit) }
        }
        return self.found.sorted { $0.below.precedes($1.below) }.map(\.candidate)
    }

    /// Returns the next folder to enter: links only once all real folders are listed.
    private mutating func nextFolder() -> Folder? {
        if let folder = self.pending.popLast() { return folder }
        // In byte order, so that the result does not depend on the order of the file system.
        self.linked.sort { $1.below.precedes($0.below) }
        return self.linked.popLast()
    }

    private mutating func list(_ folder: Folder) throws(CodedError) {
        if let refusal = self.watching?.entering(folder.path, folder.folderPath) {
            return self.add(.unusable(refusal), path: folder.path, below: folder.below)
        }
        let names: [FilePath.Component]
        let open: OpenFolder
        do {
            let opened = try OpenFolder(folder.path)
            names = try opened.names()
            open = opened
        } catch {
            guard !folder.below.isEmpty else {
                throw .unreadable(input: .folderNamedCannotList(self.source.text, error.rawValue))
            }
            // Removed since its parent was listed: treat it as empty.
            if error.isAbsence { return }
            return self.add(.unusable(.folderCannotList(error.rawValue)), path: folder.path, below: folder.below)
        }
        if names.isEmpty, !folder.folderPath.folders.isEmpty { self.watching?.reportEmpty(folder.path) }
        // A folder that the user named is listed, even an archive.
        guard folder.below.isEmpty || !names.contains(where: { $0.text == IgnoredNames.archiveMark }) else { return }
        let sidecars = SidecarNames(names)
        for name in names where !IgnoredNames.isOwn(name.text) {
            if let rule = IgnoredNames.rule(matching: name.text) {
                self.skipped[rule, default: 0] += 1
            } else if self.watching?.ignores(name, folder.folderPath) ?? false {
                continue
            } else if !sidecars.belongs(name.text) {
                self.examine(name, in: folder, open)
            }
        }
    }

    private mutating func examine(_ name: FilePath.Component, in folder: Folder, _ open: borrowing OpenFolder) {
        let path = folder.path.appending(name)
        let below = folder.below.appending(name)
        guard name.isUTF8 else { return self.add(.unusable(.inputNameNotUTF8), path: path, below: below) }
        do {
            // Through the descriptor: a link that replaces a folder is not followed. A file that has vanished meanwhile is not an
            // input.
            guard let status = try open.status(of: name.text) else { return }
            switch status.kind {
            case .file:
                self.add(.file(FileIdentity(path: path.text, status)), path: path, below: below, in: folder.folderPath)
            case .folder: self.pending.append(self.folder(name, at: path, below: below, in: folder))
            case .other: self.add(.notAFile, path: path, below: below)
            case .link where self.watching != nil: self.add(.strayLink(.linkWatched), path: path, below: below)
            case .link: self.follow(name, path, below: below, in: folder)
            }
        } catch {
            self.add(.unusable(.inputCannotStat(error.rawValue)), path: path, below: below)
        }
    }

    /// Adds the file that a link leads to, or queues the folder; reports a link that is broken or leaves the root.
    private mutating func follow(_ name: FilePath.Component, _ path: FilePath, below: FilePath, in folder: Folder) {
        let target: FilePath
        let status: stat
        do {
            target = try path.real()
            status = try target.realStatus()
        } catch {
            return self.add(.strayLink(.linkBroken(error.rawValue)), path: path, below: below)
        }
        guard target.starts(with: self.root) else {
            // A folder may hold photos, so the run would be incomplete without it.
            let isFolder = status.kind == .folder
            return self.add(isFolder ? .unusable(.linkOutside) : .strayLink(.linkOutside), path: path, below: below)
        }
        switch status.kind {
        case .file where self.own.holds(target): self.add(.strayLink(.linkIntoSandbox), path: path, below: below)
        case .file:
            let finding = ListedFile.Finding.file(FileIdentity(path: target.text, status))
            self.add(finding, path: path, below: below, in: folder.folderPath, real: target)
        case .folder:
            var linked = self.folder(name, at: path, below: below, in: folder)
            linked.path = target
            linked.folderPath = self.roots[target] ?? linked.folderPath
            self.linked.append(linked)
        case .link, .other: self.add(.notAFile, path: path, below: below)
        }
    }

    /// Returns a folder below another one; if the user named it, too, its files belong to it.
    private func folder(_ name: FilePath.Component, at path: FilePath, below: FilePath, in parent: Folder) -> Folder {
        Folder(path: path, below: below, folderPath: self.roots[path] ?? parent.folderPath.below(name.text))
    }

    private mutating func add(
        _ finding: ListedFile.Finding,
        path: FilePath,
        below: FilePath,
        in folderPath: FolderPath? = nil,
        real: FilePath? = nil
    ) {
        let source = self.source.pushing(below).text
        self.found.append((below, ListedFile(source, at: path, real: real, folderPath: folderPath, .found, finding)))
    }
}
