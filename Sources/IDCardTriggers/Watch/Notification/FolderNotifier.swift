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
        /// Whether the thread is to end, and whether it has ended.
        var isEnding = false
        var hasEnded = false
        /// Who waits for the end of the thread, and who until it has told of all that there is.
        var waiter: CheckedContinuation<Void, Never>?
        var listeners: [CheckedContinuation<Void, Never>] = []
    }

    /// What is asked of a folder. That files are written to is wanted only to tell one that is being created from one that
    /// got a further name; the kernel tells of writes that follow each other as of one.
    private static let mask = [
        IN_CLOSE_WRITE, IN_MOVED_TO, IN_MOVED_FROM, IN_CREATE, IN_MODIFY, IN_DELETE_SELF, IN_MOVE_SELF, IN_ONLYDIR,
        IN_EXCL_UNLINK, IN_DONT_FOLLOW,
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
                state.isEnding = true
                self.nudge()
                return false
            }
            if hasEnded { continuation.resume() }
        }
    }

    /// Returns once all that inotify had to tell by now has been heard.
    func caughtUp() async {
        await withCheckedContinuation { continuation in
            let hasEnded = self.state.withLock { state in
                guard !state.hasEnded else { return true }
                state.listeners.append(continuation)
                self.nudge()
                return false
            }
            if hasEnded { continuation.resume() }
        }
    }

    /// Wakes the thread; under the lock, for the descriptor is closed once it has ended.
    private func nudge() {
        var one: UInt64 = 1
        // It cannot fail: the counter is far from its limit.
        _ = write(self.wake, &one, MemoryLayout<UInt64>.size)
    }

    // MARK: The thread

    private func listen() {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while let listeners = self.nextTurn() {
            self.readAll(&buffer)
            for listener in listeners { listener.resume() }
        }
        let waiters = self.state.withLock { state -> [CheckedContinuation<Void, Never>] in
            state.hasEnded = true
            close(self.descriptor)
            close(self.wake)
            defer { state.listeners = [] }
            return state.listeners + (state.waiter.map { [$0] } ?? [])
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Waits for something to read, or for somebody who wants to know that there is nothing; `nil` once the thread is to
    /// end. Who comes while it reads is for the next turn.
    private func nextTurn() -> [CheckedContinuation<Void, Never>]? {
        var waits = [
            pollfd(fd: self.descriptor, events: Int16(POLLIN), revents: 0),
            pollfd(fd: self.wake, events: Int16(POLLIN), revents: 0),
        ]
        // Interrupted by a signal, it is simply called again.
        while poll(&waits, nfds_t(waits.count), -1) < 0 {}
        return self.state.withLock { state in
            var count: UInt64 = 0
            // Without a nudge there is nothing to be read, which does not block.
            _ = read(self.wake, &count, MemoryLayout<UInt64>.size)
            guard !state.isEnding else { return nil }
            defer { state.listeners = [] }
            return state.listeners
        }
    }

    /// Reads until there is nothing more.
    private func readAll(_ buffer: inout [UInt8]) {
        // An event has a head and a name with a zero byte; where another one would have had room there was none.
        let longest = MemoryLayout<inotify_event>.size + Int(NAME_MAX) + 1
        var count = 0
        repeat {
            self.faults.beforeReading()
            count = read(self.descriptor, &buffer, buffer.count)
            guard count > 0 else { return }
            let events = buffer.withUnsafeBytes { bytes in
                InotifyEvent.events(in: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
            }
            for event in events { self.hear(event) }
        } while count > buffer.count - longest
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
        if event.has(IN_MODIFY) {
            // A name that cannot be read is told of by the other events.
            guard !event.name.isEmpty else { return nil }
            self = .modified(path)
        } else if event.name.isEmpty {
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
