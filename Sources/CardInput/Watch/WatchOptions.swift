package import CardModel
import Dispatch
import Glibc
import Synchronization
import SystemPackage

/// How folders are watched (`watch.*`).
package struct WatchOptions: Sendable {
    /// How changes are detected.
    package enum Mode: String, CaseIterable, Sendable {
        /// Through inotify, with rescans; through polling on the file systems of other machines.
        case automatic
        /// Through repeated scans.
        case polling
    }

    /// What to do with a file once its card is durable.
    package enum After: String, CaseIterable, Sendable {
        /// Move it to `done/`, a refused one to `failed/`.
        case move
        /// Delete it; move a refused one to `failed/`.
        case delete
        /// Leave it, even a refused one.
        case leave
    }

    /// Whether a photo waits for its sidecar.
    package enum SidecarRule: String, CaseIterable, Sendable {
        /// It waits for `sidecarWait`.
        case optional
        /// It does not wait; an existing sidecar is read.
        case none
        /// It waits until the sidecar exists.
        case required
    }

    /// The most bytes of a done-marker.
    package static let longestMarker = 64

    /// The folders, each with all below it.
    package var folders: [String]
    package var mode = Mode.automatic
    package var after = After.move
    /// How long a file must be unchanged to count as complete, unless inotify reports sooner that it was closed.
    ///
    /// Longer than file servers cache attributes, which is 3 seconds for NFS.
    package var quietTime = Duration.seconds(5)
    /// The suffix of a file that marks a photo as complete: with `.done`, a.jpg is admitted once a.jpg.done exists.
    package var doneMarker: String?
    /// Patterns of names that are never inputs, beside those of `IgnoredNames`.
    package var ignore: [String] = []
    package var sidecar = SidecarRule.optional
    /// How long a photo waits for an optional sidecar; then it is imported without one.
    package var sidecarWait = Duration.seconds(2)
    /// The options for all photos: default fields, rule for business numbers, and the sandbox, which is never watched.
    package var inputs: BatchOptions

    package init(folders: [String], inputs: BatchOptions) {
        self.folders = folders
        self.inputs = inputs
    }

    var companionSuffixes: [String] { [Sidecar.suffix] + (self.doneMarker.map { [$0] } ?? []) }

    /// Whether a file lacks the done-marker that it must have.
    func lacksMarker(_ observation: FileObservation) -> Bool {
        self.doneMarker.map { marker in !observation.companions.contains { $0.suffix == marker } } ?? false
    }

    /// Returns the files whose sidecar or done-marker a file of this name may be, each with the suffix of the companion.
    func owners(of name: String) -> [(image: String, suffix: String)] {
        var owners = Sidecar.base(of: name).map { [(image: $0, suffix: Sidecar.suffix)] } ?? []
        if let marker = self.doneMarker, name.hasSuffix(marker) {
            owners.append((String(name.dropLast(marker.count)), marker))
        }
        return owners
    }

    /// Whether a file of this name is never an input.
    ///
    /// - Parameter isAtTop: whether it lies directly in the watched folder, where `done` and `failed` are.
    func ignores(_ name: FilePath.Component, isAtTop: Bool) -> Bool {
        if IgnoredNames.rule(matching: name.text) != nil { return true }
        if isAtTop, FileDisposal.folders.contains(name.text) { return true }
        return self.ignore.contains { PathPattern.matches(name, $0) }
    }

    // MARK: Checking

    /// Returns the problems that prevent watching the folders; empty if there are none.
    package func problems() -> [CodedError] {
        guard !self.folders.isEmpty else { return [CodedError(.watchFolderMissing, .input, .watchNoFolder)] }
        var problems: [CodedError] = []
        var roots: [FilePath] = []
        for folder in self.folders {
            let checked = Self.inTime { self.check(folder) } ?? (nil, .silent(folder))
            let problem = checked.problem ?? checked.root.flatMap { Self.overlap(folder, $0, roots) }
            problems += problem.map { [$0] } ?? []
            roots += checked.root.map { [$0] } ?? []
        }
        return problems
    }

    private func check(_ folder: String) -> (root: FilePath?, problem: CodedError?) {
        do throws(Errno) {
            let root = try FilePath(folder).real()
            return (root, self.problem(folder, root))
        } catch {
            return (nil, .unwatchable(folder, error))
        }
    }

    /// Returns the result of a body that may block permanently, for example on an unresponsive share; `nil` after `limit`.
    static func inTime<Value: Sendable>(
        _ limit: Duration = WatchLimits.silence,
        _ body: @escaping @Sendable () -> Value
    ) -> Value? {
        let answer = Mutex<Value?>(nil)
        SourceFile.threads.async {
            let value = body()
            answer.withLock { $0 = value }
        }
        // Polls a clock that is never set: a semaphore waits by the wall clock, so setting that clock would change the wait.
        let deadline = ContinuousClock.now + limit
        while answer.withLock({ $0 == nil }), ContinuousClock.now < deadline { usleep(1_000) }
        return answer.withLock(\.self)
    }

    /// Returns why a folder cannot be watched.
    private func problem(_ folder: String, _ root: FilePath) -> CodedError? {
        if OwnFolder(self.inputs.sandbox).holds(root) { return Self.overlap(.watchIsSandbox(folder)) }
        if IgnoredNames.isArchive(root) { return Self.overlap(.watchIsArchive(folder)) }
        guard let status = try? root.status(followingLinks: false), status.kind == .folder else {
            return .unwatchable(folder, .notDirectory)
        }
        guard access(root.text, R_OK | X_OK) == 0 else { return .unwatchable(folder, .last) }
        return self.after == .leave ? nil : self.immovable(folder, root)
    }

    /// Returns why files cannot be moved to existing `done/` and `failed/` folders.
    private func immovable(_ folder: String, _ root: FilePath) -> CodedError? {
        let targets = FileDisposal.folders.filter { self.after != .delete || $0 != "done" }.map { root.appending($0) }
        if let readOnly = ([root] + targets).first(where: { access($0.text, W_OK) != 0 && errno != ENOENT }) {
            return CodedError(.watchFolderReadOnly, .input, .watchReadOnly(folder, readOnly.text))
        }
        // A folder that cannot be opened, such as a link, fails when the first file is archived.
        guard let opened = try? OpenFolder(root),
            let mount = targets.first(where: { (try? OpenFolder($0))?.isMountedApart(from: opened) ?? false })
        else { return nil }
        return CodedError(.watchFolderMounted, .configuration, .watchMounted(mount.text))
    }

    private static func overlap(_ folder: String, _ root: FilePath, _ others: [FilePath]) -> CodedError? {
        guard let other = others.first(where: { root.starts(with: $0) || $0.starts(with: root) }) else { return nil }
        return self.overlap(.watchOverlap(folder, other.text))
    }

    private static func overlap(_ message: Message) -> CodedError {
        CodedError(.watchFoldersOverlap, .configuration, message)
    }
}

extension CodedError {
    /// A call in a watched folder takes long, and may never return.
    ///
    /// - Parameter folder: the folder to name in the message; `nil` if it is named beside the error.
    static func silent(_ folder: String?) -> CodedError {
        let limit = WatchLimits.silence
        let message = folder.map { Message.watchSilentAtStart($0, after: limit) } ?? .watchSilent(after: limit)
        return CodedError(.watchFolderMissing, .input, message)
    }

    /// A watched folder cannot be opened, for the given reason.
    static func unwatchable(_ folder: String, _ error: Errno) -> CodedError {
        let message: Message =
            switch error {
            case .noSuchFileOrDirectory: .watchMissing(folder)
            case .notDirectory: .watchNotAFolder(folder)
            default: .watchCannotOpen(folder, error.rawValue)
            }
        return CodedError(.watchFolderMissing, .input, message)
    }
}
