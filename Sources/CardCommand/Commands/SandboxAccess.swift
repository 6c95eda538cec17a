import ArgumentParser
import CardModel
import CardRemote
import CardStore
import Foundation
import Glibc

extension GlobalOptions {
    /// Opens the existing sandbox, calls a function, and closes the sandbox.
    func withSandbox<Value>(_ body: (Sandbox, Configuration) async throws -> Value) async throws -> Value {
        let configuration = try self.loadAsOwner()
        let store = try await configuration.openStore(creating: false)
        return try await ending({ try await body(store, configuration) }, by: { try store.close() })
    }
}

/// Calls a function, and `finish` after its success or failure; an error of the function takes precedence.
func ending<Value>(_ body: () async throws -> Value, by finish: () async throws -> Void) async throws -> Value {
    let result: Result<Value, any Error>
    do { result = .success(try await body()) } catch { result = .failure(error) }
    do { try await finish() } catch {
        _ = try result.get()
        throw error
    }
    return try result.get()
}

extension Configuration {
    /// Opens the sandbox for a pipeline, or creates it, calls a function, and closes the sandbox.
    func withSandbox<Value>(_ body: (Sandbox) async throws -> Value) async throws -> Value {
        if let doubt = self.sandboxDoubt { Console.warn(doubt) }
        let store = try await self.openStore(creating: true)
        return try await ending {
            let actions = self.fourEyes.union(self.fourEyesOfFile)
            try await self.requireSecond(for: actions, in: store, by: SystemUser.origin(of: "review.four_eyes"))
            return try await body(store)
        } by: {
            // Everything is durable by now: an error while closing deserves a warning, but does not change the result.
            do { try store.close() } catch { Console.warn(.sandboxNotClosed) }
        }
    }

    /// Adds actions to those of a sandbox that need two people.
    func requireSecond(for actions: Set<DecisionAction>, in store: Sandbox, by origin: AccessOrigin) async throws {
        let added = try await store.decisions.requireSecond(for: actions, by: origin, now: .now)
        added.forEach { Console.notice(.reviewAdded($0)) }
    }

    /// A warning about the file system of the sandbox.
    var sandboxDoubt: Message? {
        guard let kind = FileSystemKind(of: self.sandboxPath), kind.isDoubtful else { return nil }
        return .sandboxDoubtful(self.sandboxPath, kind.name)
    }

    /// Opens the sandbox and records it in the key file.
    ///
    /// - Parameter creating: whether a missing sandbox is created, with its key; the endpoints then determine its kind.
    func openStore(creating: Bool) async throws -> Sandbox {
        let isNew = !Sandbox.isSandbox(at: self.sandboxPath)
        if isNew, creating { try self.requireKeyOfNoOther() }
        let store = try await self.unlockStore(creating: creating)
        guard !self.isEmbedded else { return store }
        if isNew { Console.notice(.sandboxMade(self.sandboxPath)) }
        // If the file cannot be written now, the next opening writes it.
        try? self.keyFile?.remember(store.id)
        return store
    }

    /// Refuses to create a sandbox with the keys of another one: a mistyped path would send every document again.
    ///
    /// - Throws: `second_sandbox`; what reading the key file throws.
    func requireKeyOfNoOther() throws(CodedError) {
        guard !self.isEmbedded, !self.makesNewSandbox, let file = self.keyFile, file.exists,
            try !file.sandboxes().isEmpty
        else { return }
        let code = ReasonCode(rawValue: "second_sandbox")
        throw CodedError(code, .configuration, .sandboxSecond(self.sandboxPath, key: file.path))
    }

    private func unlockStore(creating: Bool) async throws -> Sandbox {
        if !creating { try Sandbox.requireSandbox(at: self.sandboxPath) }
        var ring = try await self.vaultKeys(creating: creating)
        while true {
            do {
                return try await Sandbox.open(
                    path: self.sandboxPath,
                    kind: self.isEmbedded ? .embedded : creating ? .real : nil,
                    ring: ring,
                    retcodes: self.backend.retcodes,
                    creating: creating,
                    now: .now
                )
            } catch let error as CodedError where error.code == .wrongKey {
                // A rotation may have finished since the keys were read.
                let newer = try await self.vaultKeys(creating: false)
                guard newer != ring else { throw error }
                ring = newer
            }
        }
    }
}

extension CodedError {
    static func notFound(_ what: Message) -> CodedError { CodedError(.notFound, .notFound, what) }
}

extension Timestamp {
    static var now: Timestamp { Timestamp(Date()) }
}

/// The purpose of an access to personal data, for the access log.
struct PurposeOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The reason, for the access log.",
            discussion: "Such as a ticket number. At most 200 characters, without the holder's name or number.",
            valueName: "text"
        )
    )
    var why: String?

    func validate() throws {
        guard let why, why.count > 200 else { return }
        throw ValidationError(.optionsWhy(why.count))
    }

    func origin(of command: String) throws(CodedError) -> AccessOrigin {
        try SystemUser.origin(of: command, why: self.why)
    }
}

/// The person who runs this process, for the access log.
enum SystemUser {
    /// The origin of a command, with its purpose.
    ///
    /// - Throws: `CodedError` `purpose_personal`.
    static func origin(of command: String, why: String? = nil) throws(CodedError) -> AccessOrigin {
        let caller = Caller(subject: self.subject, scopes: Caller.process.scopes)
        return try AccessOrigin(caller, actor: "\(self.name):\(command)", purpose: why)
    }

    /// The user who logged in; `nil` in a container, in a service, and if the system keeps no record of it.
    private static let login: String? = {
        let user = (try? String(contentsOfFile: "/proc/self/loginuid", encoding: .utf8)).flatMap { uid_t($0.trimmed) }
        // All bits set: no login.
        return user.flatMap { $0 == uid_t.max ? nil : Self.name(of: $0) }
    }()

    /// The user of this process, read before root becomes the owner of a sandbox.
    private static let own: (name: String, uid: uid_t) = (Self.name(of: getuid()) ?? "uid-\(getuid())", getuid())

    /// The identity of the person: the login, else the user of the process. A variable could name any user.
    static let subject = "user:\(Self.login ?? Self.own.name)"

    /// The person's name for the access log, with the user of the process if that is another one. `SUDO_USER` counts only
    /// for root, who can write anything anyway.
    static let name: String = {
        let sudo = ProcessInfo.processInfo.environment["SUDO_USER"].flatMap { getpwnam($0) == nil ? nil : $0 }
        let name = Self.login ?? (Self.own.uid == 0 ? sudo : nil) ?? Self.own.name
        return name == Self.own.name ? name : "\(name) (uid \(Self.own.uid))"
    }()

    private static func name(of user: uid_t) -> String? {
        getpwuid(user).flatMap { $0.pointee.pw_name }.map { String(cString: $0) }
    }
}

/// Root works on the sandbox of another user as that user, so that root owns no file in it.
enum SandboxOwner {
    /// The status of a sandbox, or of its nearest existing folder, whose owner root must become; `nil` for other users, and
    /// if root is the owner.
    static func another(of path: String) -> stat? {
        var status = stat()
        let existing = DurableFile.nearestExisting(path)
        return geteuid() == 0 && stat(existing, &status) == 0 && status.st_uid != 0 ? status : nil
    }

    /// Becomes the owner of a sandbox, or of its nearest existing folder, permanently; only root does.
    ///
    /// - Throws: `sandbox_unavailable` if the system refuses.
    static func become(of path: String) throws(CodedError) {
        _ = (SystemUser.subject, SystemUser.name)
        guard let status = self.another(of: path) else { return }
        // The groups first: afterwards the right to change them is gone.
        var group = status.st_gid
        guard setgroups(1, &group) == 0, setgid(group) == 0, setuid(status.st_uid) == 0 else {
            throw CodedError(.sandboxUnavailable, .storage, .sandboxOtherOwner(user: status.st_uid, errno))
        }
        // The home of root must not get files of this user.
        if let entry = getpwuid(status.st_uid), let home = entry.pointee.pw_dir { setenv("HOME", home, 1) }
    }
}
