import CardModel
import Dispatch
import Glibc
import Synchronization
import SystemPackage

/// A folder that is watched: a named one, or one below it.
struct WatchedFolder: Hashable, Sendable {
    /// The place of the named folder in the list.
    var root: Int
    /// The real path.
    var path: FilePath
    /// Where it lies in the named folder.
    var place: FolderPath
}

/// A hint that something deserves a look; it may be wrong or come late, and may be missing altogether.
enum FolderChange: Hashable, Sendable {
    enum Kind: Sendable {
        /// Its name appeared: it is being created, or got a further name.
        case appeared
        case written
        /// It was closed after writing, or moved in.
        case closed
        /// It was moved away or deleted.
        case left
    }

    case file(FilePath.Component, WatchedFolder, Kind)
    /// A folder appeared, or something in it that has no readable name.
    case folder(WatchedFolder)
    /// A named folder was moved or deleted.
    case rootGone(Int)
    /// Changes were lost.
    case overflow
}

/// Hears of changes in folders by inotify(7).
final class FolderNotifier: Sendable {
    private struct State {
        /// The folders by their watches; the kernel never gives a number twice.
        var folders: [Int32: WatchedFolder] = [:]
        var changes: [FolderChange] = []
        var isStopped = false
    }

    /// That files are written to is wanted only to tell one that is still open from one that got a further name.
    private static let mask = [
        IN_CLOSE_WRITE, IN_MOVED_TO, IN_MOVED_FROM, IN_CREATE, IN_DELETE, IN_MODIFY, IN_DELETE_SELF, IN_MOVE_SELF,
        IN_ONLYDIR, IN_EXCL_UNLINK, IN_DONT_FOLLOW,
    ].reduce(UInt32(0)) { $0 | UInt32(truncatingIfNeeded: $1) }

    private let descriptor: Int32
    private let state = Mutex(State())
    private let limit: Int
    private let ring: @Sendable () -> Void
    // Made once, and only ever cancelled.
    private nonisolated(unsafe) let source: any DispatchSourceRead

    /// Starts to listen.
    ///
    /// - Parameters:
    ///   - limit: the most changes between two takings; beyond, all count as lost.
    ///   - ring: called whenever there are changes to take; must not block.
    /// - Throws: `Errno`, such as `EMFILE` beyond `fs.inotify.max_user_instances`.
    init(limit: Int = WatchLimits.changes, ring: @escaping @Sendable () -> Void) throws(Errno) {
        let descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        guard descriptor >= 0 else { throw Errno.last }
        (self.descriptor, self.limit, self.ring) = (descriptor, limit, ring)
        self.source = DispatchSource.makeReadSource(
            fileDescriptor: descriptor,
            queue: DispatchQueue(label: "watch.inotify")
        )
        self.source.setEventHandler { [weak self] in self?.readAll() }
        self.source.setCancelHandler { close(descriptor) }
        self.source.resume()
    }

    /// Hears of a folder from now on; of one that is known already the path is taken over.
    ///
    /// - Throws: `Errno`: `ENOSPC` beyond `fs.inotify.max_user_watches`, `EACCES` without the right to read.
    func watch(_ folder: WatchedFolder) throws(Errno) {
        // Under the lock, so that no event of the new watch meets a table that does not know it.
        try self.state.withLock { state throws(Errno) in
            guard !state.isStopped else { return }
            let watch = folder.path.withPlatformString { inotify_add_watch(self.descriptor, $0, Self.mask) }
            guard watch >= 0 else { throw Errno.last }
            state.folders[watch] = folder
        }
    }

    /// Hears no more of a folder that is watched, but may still hear of those below it.
    func rest(_ path: FilePath) {
        self.state.withLock { state in
            guard !state.isStopped else { return }
            // The kernel gives the number that the folder has.
            let watch = path.withPlatformString { inotify_add_watch(self.descriptor, $0, Self.mask) }
            if watch >= 0 { inotify_rm_watch(self.descriptor, watch) }
            state.folders[watch] = nil
        }
    }

    /// Hears no more of a folder and all below it.
    func forget(_ path: FilePath) {
        self.state.withLock { state in
            for (watch, folder) in state.folders where folder.path.starts(with: path) {
                if !state.isStopped { inotify_rm_watch(self.descriptor, watch) }
                state.folders[watch] = nil
            }
        }
    }

    /// How many folders it hears of.
    var count: Int { self.state.withLock { $0.folders.count } }

    func takeChanges() -> [FolderChange] {
        self.state.withLock { state in
            defer { state.changes = [] }
            return state.changes
        }
    }

    func stop() {
        self.state.withLock { $0.isStopped = true }
        self.source.cancel()
    }

    private func readAll() {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(self.descriptor, &buffer, buffer.count)
            guard count > 0 else { break }
            let events = buffer.withUnsafeBytes {
                InotifyEvent.events(in: UnsafeRawBufferPointer(rebasing: $0[..<count]))
            }
            for event in events { self.hear(event) }
        }
        self.ring()
    }

    private func hear(_ event: InotifyEvent) {
        let moved = self.state.withLock { state -> FilePath? in
            if state.changes.count >= self.limit || event.has(IN_Q_OVERFLOW) {
                if state.changes.last != .overflow { state.changes.append(.overflow) }
                return nil
            }
            let known =
                event.has(IN_IGNORED) ? state.folders.removeValue(forKey: event.watch) : state.folders[event.watch]
            guard let folder = known, let change = event.change(in: folder) else { return nil }
            // Whatever moved away is told of under a name that is no longer its own.
            if case .folder(let moved) = change, event.has(IN_MOVED_FROM) || event.has(IN_DELETE) { return moved.path }
            if state.changes.last != change { state.changes.append(change) }
            if case .rootGone = change { return folder.path }
            return nil
        }
        if let moved { self.forget(moved) }
    }
}

/// One event of inotify(7).
struct InotifyEvent: Hashable {
    /// The watch it comes from; -1 if the queue has overflowed.
    var watch: Int32
    /// What happened, as `IN_…` bits.
    var mask: UInt32
    /// The name in the watched folder; `nil` if it is about the folder itself, or is not UTF-8.
    var name: FilePath.Component?

    /// Whether all bits of a flag are set.
    func has(_ flag: some BinaryInteger) -> Bool {
        let bits = UInt32(truncatingIfNeeded: flag)
        return self.mask & bits == bits
    }

    /// Takes apart what one `read` gave; an event that is cut off ends it.
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

    /// What an event of a folder means; `nil` if nothing.
    func change(in folder: WatchedFolder) -> FolderChange? {
        if self.has(IN_DELETE_SELF) || self.has(IN_MOVE_SELF) || self.has(IN_UNMOUNT) {
            // Of any other folder its own parent tells when it goes.
            return folder.place.folders.isEmpty ? .rootGone(folder.root) : nil
        }
        if self.has(IN_IGNORED) { return nil }
        guard let name = self.name else { return self.has(IN_MODIFY) ? nil : .folder(folder) }
        if self.has(IN_ISDIR) {
            guard !self.has(IN_MODIFY) else { return nil }
            return .folder(
                WatchedFolder(
                    root: folder.root,
                    path: folder.path.appending(name),
                    place: folder.place.below(name.text)
                )
            )
        }
        if self.has(IN_MODIFY) { return .file(name, folder, .written) }
        if self.has(IN_CLOSE_WRITE) || self.has(IN_MOVED_TO) { return .file(name, folder, .closed) }
        return .file(name, folder, self.has(IN_CREATE) ? .appeared : .left)
    }
}
