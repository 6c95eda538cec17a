import CFolders
import Foundation
import Glibc
import Synchronization

/// Hears of changes in folders by `inotify(7)`.
///
/// The descriptor is read on a thread of its own, so that nobody else's work lets the kernel's queue overflow.
final class FolderNotifier: Sendable {
    private struct Folder {
        var path: WatchedPath
        var isRoot: Bool
    }

    private struct State {
        /// The folders by their watches. The kernel never gives a number twice.
        var folders: [Int32: Folder] = [:]
        var hasEnded = false
        var waiter: CheckedContinuation<Void, Never>?
    }

    /// What is asked of a folder: nothing is told of files that are being written, only of their end.
    private static let mask = [
        IN_CLOSE_WRITE, IN_MOVED_TO, IN_MOVED_FROM, IN_CREATE, IN_DELETE_SELF, IN_MOVE_SELF, IN_ONLYDIR, IN_EXCL_UNLINK,
        IN_DONT_FOLLOW,
    ].reduce(UInt32(0)) { $0 | UInt32(truncatingIfNeeded: $1) }

    private let descriptor: Int32
    private let wake: Int32
    private let state = Mutex(State())
    private let notify: @Sendable (FolderNotice) -> Void
    private let isWanted: @Sendable (WatchedPath) -> Bool
    private let faults: NotifierFaults

    /// Starts the thread; it calls the functions, which must not block.
    ///
    /// - Parameters:
    ///   - faults: what goes wrong on purpose.
    ///   - isWanted: whether a folder that appears is to be heard of at once.
    ///   - notify: hears of changes.
    /// - Throws: `SystemFailure`, such as `EMFILE` beyond `fs.inotify.max_user_instances`.
    init(
        faults: NotifierFaults = NotifierFaults(),
        isWanted: @escaping @Sendable (WatchedPath) -> Bool,
        notify: @escaping @Sendable (FolderNotice) -> Void
    ) throws(SystemFailure) {
        if let failure = faults.atStart { throw failure }
        self.descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        guard self.descriptor >= 0 else { throw SystemFailure.current }
        self.wake = idc_wake_descriptor()
        guard self.wake >= 0 else {
            let failure = SystemFailure.current
            close(self.descriptor)
            throw failure
        }
        self.notify = notify
        self.isWanted = isWanted
        self.faults = faults
        let thread = Thread { [self] in self.listen() }
        thread.name = "idcard-watch"
        thread.start()
    }

    /// Hears of a folder from now on; of one that is known already the path is taken over.
    ///
    /// - Throws: `SystemFailure`: `ENOSPC` beyond `fs.inotify.max_user_watches`, `EACCES` without the right to read.
    func watch(_ folder: WatchedPath, isRoot: Bool) throws(SystemFailure) {
        if let failure = self.faults.onWatch(folder) { throw failure }
        // Under the lock, so that no event of the new watch meets a table that does not know it.
        let failure = self.state.withLock { state -> SystemFailure? in
            guard !state.hasEnded else { return nil }
            let watch = inotify_add_watch(self.descriptor, folder.path, Self.mask)
            guard watch >= 0 else { return SystemFailure.current }
            state.folders[watch] = Folder(path: folder, isRoot: isRoot)
            return nil
        }
        if let failure { throw failure }
    }

    /// Hears no more of a folder and all below it.
    func forget(_ folder: WatchedPath) {
        self.state.withLock { state in
            guard !state.hasEnded else { return }
            let gone = state.folders.filter { _, known in
                known.path.path == folder.path || PathText.lies(known.path.path, below: folder.path)
            }
            for watch in gone.keys {
                inotify_rm_watch(self.descriptor, watch)
                state.folders[watch] = nil
            }
        }
    }

    /// How many folders are heard of.
    var count: Int { self.state.withLock { $0.folders.count } }

    /// Ends the thread, and waits until it has ended.
    func stop() async {
        await withCheckedContinuation { continuation in
            let hasEnded = self.state.withLock { state in
                guard !state.hasEnded else { return true }
                state.waiter = continuation
                var one: UInt64 = 1
                // It cannot fail: the counter is far from its limit.
                _ = write(self.wake, &one, MemoryLayout<UInt64>.size)
                return false
            }
            if hasEnded { continuation.resume() }
        }
    }

    // MARK: The thread

    private func listen() {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while self.waitForEvents() {
            self.faults.beforeReading()
            let count = read(self.descriptor, &buffer, buffer.count)
            guard count > 0 else { continue }
            let events = buffer.withUnsafeBytes { bytes in
                InotifyEvent.events(in: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
            }
            for event in events { self.hear(event) }
        }
        let waiter = self.state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.hasEnded = true
            close(self.descriptor)
            close(self.wake)
            return state.waiter
        }
        waiter?.resume()
    }

    /// Waits for something to read; `false` once the thread is to end.
    private func waitForEvents() -> Bool {
        var waits = [
            pollfd(fd: self.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: self.wake, events: Int16(POLLIN), revents: 0),
        ]
        // Interrupted by a signal, it is simply called again.
        while poll(&waits, nfds_t(waits.count), -1) < 0 {}
        return waits[1].revents == 0
    }

    private func hear(_ event: InotifyEvent) {
        if event.has(IN_Q_OVERFLOW) { return self.notify(.overflow) }
        let folder = self.state.withLock { state -> Folder? in
            event.has(IN_IGNORED) ? state.folders.removeValue(forKey: event.watch) : state.folders[event.watch]
        }
        guard let folder, let notice = FolderNotice(event, in: folder.path, isRoot: folder.isRoot) else { return }
        // Whatever moved out of its folder is told of under a name that is no longer its own.
        if event.has(IN_MOVED_FROM), case .folder(let moved) = notice { return self.forget(moved) }
        if case .rootGone = notice { self.forget(folder.path) }
        // At once, so that little comes before; what goes wrong is told of by the scan that follows.
        if case .folder(let appeared) = notice, self.isWanted(appeared) { try? self.watch(appeared, isRoot: false) }
        self.notify(notice)
    }
}

extension FolderNotice {
    /// What an event of a folder means; `nil` if nothing.
    ///
    /// - Parameter isRoot: of any other folder its own parent tells when it goes.
    init?(_ event: InotifyEvent, in folder: WatchedPath, isRoot: Bool) {
        let path = WatchedPath(root: folder.root, path: PathText.join(folder.path, event.name))
        if event.has(IN_DELETE_SELF) || event.has(IN_MOVE_SELF) || event.has(IN_UNMOUNT) {
            guard isRoot else { return nil }
            self = .rootGone(folder.root)
            return
        }
        if event.has(IN_IGNORED) { return nil }
        if event.name.isEmpty {
            self = .folder(folder)
        } else if event.has(IN_ISDIR) {
            self = .folder(path)
        } else if event.has(IN_CLOSE_WRITE) || event.has(IN_MOVED_TO) {
            self = .closed(path)
        } else if event.has(IN_CREATE) {
            self = .created(path)
        } else {
            return nil
        }
    }
}
