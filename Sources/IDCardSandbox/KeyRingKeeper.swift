import IDCardPipeline
import Synchronization

/// The ring that an open sandbox works with; read anew when another process has introduced a key.
final class KeyRingKeeper: Sendable {
    private struct State {
        var ring: KeyRing
        /// How often the ring was read anew.
        var generation = 0
        /// The ids of the keys as they stand in the sandbox beside the owner.
        var notedKeys: String?
        /// When the ring was last read again without an error that asked for it.
        var renewedUnaskedAt: ContinuousClock.Instant?
    }

    private let state: Mutex<State>
    private let source: (@Sendable () async throws -> KeyRing)?

    init(_ ring: KeyRing, source: (@Sendable () async throws -> KeyRing)?) {
        self.state = Mutex(State(ring: ring))
        self.source = source
    }

    var ring: KeyRing { self.state.withLock(\.ring) }

    /// Returns a key by its name.
    ///
    /// - Throws: `StoreError.wrongKey` if the ring lacks it.
    func key(_ id: String) throws -> VaultKey {
        guard let key = self.ring.key(id) else { throw StoreError.lackingKey(id) }
        return key
    }

    /// Does something, and once more with the ring read anew if the ring lacks a key for it.
    func renewing<Value>(_ body: () async throws -> Value) async throws -> Value {
        let generation = self.state.withLock(\.generation)
        do {
            return try await body()
        } catch let error as StoreError where error.code == .wrongKey {
            // Another piece of work may have met the same and have read the ring already.
            if self.state.withLock(\.generation) == generation {
                guard try await self.renew() else { throw error }
            }
            return try await body()
        }
    }

    /// Whether the ring may be read again only because a key was announced: not more often than every 10 s, as a command
    /// may ask a service that counts.
    func mayRenewUnasked() -> Bool {
        let now = ContinuousClock.now
        return self.state.withLock { state in
            if let last = state.renewedUnaskedAt, now - last < .seconds(10) { return false }
            state.renewedUnaskedAt = now
            return true
        }
    }

    /// The ids of the keys with blanks between them.
    var keyIDs: String { self.ring.keys.map(\.id).joined(separator: " ") }

    /// The ids of the keys, if they are not those that were noted.
    func unnotedKeys() -> String? {
        let words = self.keyIDs
        return self.state.withLock { $0.notedKeys == words ? nil : words }
    }

    /// Notes which ids stand in the sandbox.
    func noted(_ words: String) {
        self.state.withLock { $0.notedKeys = words }
    }

    /// Reads the ring anew.
    ///
    /// - Returns: whether there is a place to read it from.
    /// - Throws: `StoreError.wrongKey` if it cannot be read.
    func renew() async throws -> Bool {
        guard let source = self.source else { return false }
        let ring: KeyRing
        do {
            ring = try await source()
        } catch {
            try Task.checkCancellation()
            throw StoreError(
                .wrongKey,
                "the keys of the sandbox have changed and could not be read again; check where the keys come from",
                cause: error
            )
        }
        self.state.withLock { state in
            state.ring = ring
            state.generation += 1
        }
        return true
    }
}

extension StoreError {
    /// The error of a ring that does not open the sandbox.
    static func lackingKey(_ id: String) -> StoreError {
        StoreError(
            .wrongKey,
            "the key given does not open the sandbox: it needs the key with the id \(id); name the key that belongs to "
                + "this sandbox (after a rotation an old key is in the file `….retired-\(id)` beside the key file)"
        )
    }
}
