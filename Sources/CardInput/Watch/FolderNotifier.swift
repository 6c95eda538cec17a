import CardModel
import Dispatch
import Glibc
import Synchronization
import SystemPackage

/// A watched folder: a named one, or one below it.
struct WatchedFolder: Hashable, Sendable {
    /// The index of the named folder in the list.
    var root: Int
    /// The real path.
    var path: FilePath
    /// The position in the named folder.
    var folderPath: FolderPath
}

/// A hint that something may have changed; it may be wrong, late or missing.
enum FolderChange: Hashable, Sendable {
    enum Kind: Sendable {
        /// The name appeared: the file is being created, or got a further name.
        case appeared
        case written
        /// The file was closed after writing, or moved in.
        case closed
        /// The file was moved away or deleted.
        case left
    }

    case file(FilePath.Component, WatchedFolder, Kind)
    /// A folder appeared, or an entry changed in it whose name cannot be read.
    case folder(WatchedFolder)
    /// A named folder was moved or deleted.
    case rootGone(Int)
    /// Changes were lost.
    case overflow
}

/// Collects changes of folders through inotify(7).
final class FolderNotifier: Sendable {
    private struct State {
        /// The folders by their watch numbers, which the kernel never reuses.
        var folders: [Int32: WatchedFolder] = [:]
        var changes: [FolderChange] = []
        var isStopped = false
    }

    /// A new file and a further hard link both give `IN_CREATE`; only a file that is still being written then gives `IN_MODIFY`.
    private static let mask = [
        IN_CLOSE_WRITE, IN_MOVED_TO, IN_MOVED_FROM, IN_CREATE, IN_DELETE, IN_MODIFY, IN_DELETE_SELF, IN_MOVE_SELF,
        IN_ONLYDIR, IN_EXCL_UNLINK, IN_DONT_FOLLOW,
    ].reduce(UInt32(0)) { $0 | UInt32(truncatingIfNeeded: $1) }

    private let descriptor: Int32
    private let state = Mutex(State())
    private let limit: Int
    private let wake: @Sendable () -> Void
    // Set once, and later only cancelled.
    private nonisolated(unsafe) let source: any DispatchSourceRead

    /// Starts inotify.
    ///
    /// - Parameters:
    ///   - limit: the most changes between two calls of `drainChanges`; beyond it, all count as lost.
    ///   - wake: called whenever there are changes to drain; must not block.
    /// - Throws: `Errno`, such as `EMFILE` beyond `fs.inotify.max_user_instances`.
    init(limit: Int = WatchLimits.changes, wake: @escaping @Sendable () -> Void) throws(Errno) {
        let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        guard descriptor >= 0 else { throw Errno.last }
        (self.descriptor, self.limit, self.wake) = (descriptor, limit, wake)
        self.source = DispatchSource.makeReadSource(
            fileDescriptor: descriptor,
            queue: DispatchQueue(label: "watch.inotify")
        )
        self.source.setEventHandler { [weak self] in self?.readAll() }
        self.source.setCancelHandler { close(descriptor) }
        self.source.resume()
    }

    /// Watches a folder from now on; a known one gets the new path.
    ///
    /// - Throws: `Errno`: `ENOSPC` beyond `fs.inotify.max_user_watches`, `EACCES` without the right to read.
    func watch(_ folder: WatchedFolder) throws(Errno) {
        // Under the lock, so that the table knows the watch before its first event.
        try self.state.withLock { state throws(Errno) in
            guard !state.isStopped else { return }
            let watch = folder.path.withPlatformString { inotify_add_watch(self.descriptor, $0, Self.mask) }
            guard watch >= 0 else { throw Errno.last }
            state.folders[watch] = folder
        }
    }

    /// Stops watching a folder and all below it.
    func forget(_ path: FilePath) {
        self.state.withLock { state in
            for (watch, folder) in state.folders where folder.path.starts(with: path) {
                if !state.isStopped { inotify_rm_watch(self.descriptor, watch) }
                state.folders[watch] = nil
            }
        }
    }

    func drainChanges() -> [FolderChange] {
        self.state.withLock { state in
            defer { state.changes = [] }
            return state.changes
        }
    }

    func stop() {
        self.state.withLock { $0.isStopped = true }
        self.source.cancel()
    }

    /// Reads all events that the kernel has ready.
    private func readAll() {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(self.descriptor, &buffer, buffer.count)
            guard count > 0 else { break }
            let events = buffer.withUnsafeBytes {
                InotifyEvent.events(in: UnsafeRawBufferPointer(rebasing: $0[..<count]))
            }
            for event in events { self.record(event) }
        }
        self.wake()
    }

    /// Adds the change of an event, and forgets a folder that is gone.
    private func record(_ event: InotifyEvent) {
        let gone = self.state.withLock { state -> FilePath? in
            if state.changes.count >= self.limit || event.has(IN_Q_OVERFLOW) {
                if state.changes.last != .overflow { state.changes.append(.overflow) }
                return nil
            }
            let known =
                event.has(IN_IGNORED) ? state.folders.removeValue(forKey: event.watch) : state.folders[event.watch]
            guard let folder = known, let change = event.change(in: folder) else { return nil }
            // Forget a moved folder: its further events would have the old path.
            if case .folder(let gone) = change, event.has(IN_MOVED_FROM) || event.has(IN_DELETE) { return gone.path }
            if state.changes.last != change { state.changes.append(change) }
            if case .rootGone = change { return folder.path }
            return nil
        }
        if let gone { self.forget(gone) }
    }
}

struct InotifyEvent: Hashable {
    /// The watch number; -1 if the queue has overflowed.
    var watch: Int32
    /// What happened, as `IN_…` bits.
    var mask: UInt32
    /// The name in the watched folder; `nil` if the event concerns the folder itself, or the name is not UTF-8.
    var name: FilePath.Component?

    /// Whether all bits of a flag are set.
    func has(_ flag: some BinaryInteger) -> Bool {
        let bits = UInt32(truncatingIfNeeded: flag)
        return self.mask & bits == bits
    }

    /// Parses the result of one `read`; ends at an incomplete event.
    static func events(in buffer: UnsafeRawBufferPointer) -> [InotifyEvent] {
        var events: [InotifyEvent] = []
        var offset = 0
        let head = MemoryLayout<inotify_event>.size
        while offset + head <= buffer.count {
            let record = buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
            let end = offset + head + Int(record.len)
            guard end <= buffer.count else { break }
            let bytes = buffer[(offset + head)..<end].prefix { $0 != 0 }
            let name = String(validating: bytes, as: UTF8.self).flatMap { FilePath.Component($0) }
            events.append(InotifyEvent(watch: record.wd, mask: record.mask, name: name))
            offset = end
        }
        return events
    }

    /// Returns the change that an event of a folder means; `nil` if none.
    func change(in folder: WatchedFolder) -> FolderChange? {
        if self.has(IN_DELETE_SELF) || self.has(IN_MOVE_SELF) || self.has(IN_UNMOUNT) {
            // A folder below is reported as gone by its parent.
            return folder.folderPath.folders.isEmpty ? .rootGone(folder.root) : nil
        }
        if self.has(IN_IGNORED) { return nil }
        guard let name = self.name else { return self.has(IN_MODIFY) ? nil : .folder(folder) }
        if self.has(IN_ISDIR) {
            guard !self.has(IN_MODIFY) else { return nil }
            var below = folder
            (below.path, below.folderPath) = (folder.path.appending(name), folder.folderPath.below(name.text))
            return .folder(below)
        }
        if self.has(IN_MODIFY) { return .file(name, folder, .written) }
        if self.has(IN_CLOSE_WRITE) || self.has(IN_MOVED_TO) { return .file(name, folder, .closed) }
        return .file(name, folder, self.has(IN_CREATE) ? .appeared : .left)
    }
}
