package import CardModel
import Glibc
import SystemPackage

/// The mark of the sandbox that watches a folder: a file in it with the identity of the sandbox.
///
/// Two sandboxes that watch one folder would both send every card. Several processes of one sandbox may watch it, and so may a
/// restored sandbox: backups have the same identity.
struct WatchMark: Sendable {
    static let name = ".idcard-pipeline-sandbox"

    let sandbox: String

    /// Marks a folder unless it has the mark.
    ///
    /// - Returns: why the folder cannot be marked; `nil` if it is marked.
    /// - Throws: `watch_folder_claimed` if the folder, or one above it, has the mark of another sandbox.
    func claim(_ root: FilePath, given: String) throws(CodedError) -> CodedError? {
        var folder = root
        while folder.removeLastComponent() {
            // Skips an unreadable folder above: this user cannot watch it.
            if let owner = try? self.owner(of: folder), owner != self.sandbox { throw Self.claimed(given, folder) }
        }
        do throws(Errno) {
            if try self.owner(of: root) == nil { try self.make(in: root) }
        } catch {
            return CodedError(.watchFolderUnmarked, .storage, .watchUnmarked(error.rawValue))
        }
        // Another sandbox may have been faster.
        if let owner = try? self.owner(of: root), owner != self.sandbox { throw Self.claimed(given, root) }
        return nil
    }

    /// Returns why a folder below the watched one must not be entered: another sandbox watches it.
    func refusal(of folder: FilePath) -> Message? {
        // Listing the folder reports an unreadable mark.
        guard let owner = try? self.owner(of: folder), owner != self.sandbox else { return nil }
        return .watchOthersFolder(mark: Self.file(in: folder))
    }

    /// Returns the identity in a folder's mark, `nil` without a mark; empty for an invalid mark.
    private func owner(of folder: FilePath) throws(Errno) -> String? {
        do throws(OpenFile.Failure) {
            let file = try OpenFile(folder.appending(Self.name), followingLinks: false)
            let text = String(decoding: try file.head(InputLimits.markBytes), as: UTF8.self)
            return String(text.prefix { !$0.isWhitespace })
        } catch {
            switch error {
            case .system(let error) where error.isAbsence: return nil
            case .system(let error) where error != .tooManySymbolicLinkLevels: throw error
            default: return ""
            }
        }
    }

    /// Creates the mark atomically, and never replaces another one.
    private func make(in root: FilePath) throws(Errno) {
        let folder = try OpenFolder(root)
        let part = "\(Self.name).\(UInt64.random(in: .min ... .max)).part"
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let descriptor = openat(folder.descriptor, part, flags, 0o644)
        guard descriptor >= 0 else { throw Errno.last }
        defer {
            close(descriptor)
            unlinkat(folder.descriptor, part, 0)
        }
        let text = Array("\(self.sandbox)\n".utf8)
        // Other users must be able to read it, whatever the umask.
        guard fchmod(descriptor, 0o644) == 0, write(descriptor, text, text.count) == text.count, fsync(descriptor) == 0
        else { throw Errno.last }
        guard let status = try folder.status(of: part) else { return }
        let file = FileMove(identity: FileIdentity(path: part, status))
        _ = try file.move(part, from: folder, as: Self.name, to: folder)
        try folder.sync()
        try Self.sweep(folder)
    }

    /// Removes partial marks of killed processes; the folder is now marked.
    private static func sweep(_ folder: borrowing OpenFolder) throws(Errno) {
        for name in try folder.names().map(\.text) where name.hasPrefix(self.name + ".") && name.hasSuffix(".part") {
            try folder.unlink(name)
        }
    }

    private static func file(in folder: FilePath) -> Redacted<String> { Redacted(folder.appending(self.name).text) }

    private static func claimed(_ given: String, _ folder: FilePath) -> CodedError {
        CodedError(.watchFolderClaimed, .configuration, .watchClaimed(given, mark: self.file(in: folder)))
    }
}

extension WatchOptions {
    /// Marks the folders as watched by a sandbox, before anything in them is read.
    ///
    /// The watch itself reports folders that cannot be marked.
    ///
    /// - Throws: `watch_folder_claimed` for a folder that another sandbox watches.
    package func claim(for sandbox: String) throws(CodedError) {
        for folder in self.folders {
            // The watch reports a folder that is missing, or does not answer.
            let claim = Self.inTime {
                Result { () throws(CodedError) in
                    guard let root = try? FilePath(folder).real() else { return }
                    _ = try WatchMark(sandbox: sandbox).claim(root, given: folder)
                }
            }
            try claim?.get()
        }
    }
}
