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
        if isNew, creating { try self.requireUnusedKey() }
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
    func requireUnusedKey() throws(CodedError) {
        guard !self.isEmbedded, !self.makesNewSandbox, let file = self.keyFile, file.exists,
            try !file.sandboxes().isEmpty
        else { return }
        let code = ReasonCode(rawValue: "second_sandbox")
        throw CodedError(code, .configuration, .sandboxSecond(self.sandboxPath, key: file.path))
    }

    /// Opens the sandbox with the present keys; tries again if they were replaced meanwhile.
    private func unlockStore(creating: Bool) async throws -> Sandbox {
        if !creating { try Sandbox.requireSandbox(at: self.sandboxPath) }
        var ring = try await self.vaultKeys(creating: creating)
        let kindOfNew: Sandbox.Kind? = creating ? .real : nil
        while true {
            do {
                return try await Sandbox.open(
                    path: self.sandboxPath,
                    kind: self.isEmbedded ? .embedded : kindOfNew,
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
