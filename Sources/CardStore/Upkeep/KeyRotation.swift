import CardModel
import Foundation

package struct KeyRotation: Hashable, Sendable {
    /// The name of the key that wraps everything now.
    package var keyID: String
    /// How many data keys were wrapped with the new key.
    package var rewrapped: Int
    /// How many data keys no given key unwraps, so that their values were already lost.
    package var damaged: Int
}

/// A step of a key rotation, for tests.
package enum RotationStep: String, CaseIterable, Sendable {
    /// The command has made the new key durable.
    case stored
    /// Everything is wrapped with the new key within the transaction.
    case rewrapped
    /// The transaction is committed.
    case committed
}

extension SandboxUpkeep {
    /// The name of the key that wraps everything in the sandbox. If it is not the first key of the ring, a rotation was
    /// interrupted; rotating to the first key finishes it.
    package func keyInUse() async throws -> String {
        try await self.read { tx in try tx.value("SELECT key_id FROM store") ?? "" }
    }

    /// The keys that the sandbox was opened with.
    package var keyRing: KeyRing { self.vault.ring }

    /// Wraps all data keys, and the keys of the sandbox itself, with another key, while no other process works.
    ///
    /// Sealed values and fingerprints do not change. If the process is killed at any point, a ring of both keys still opens the
    /// sandbox. The caller must close the sandbox afterwards.
    ///
    /// - Parameters:
    ///   - key: the new key.
    ///   - storing: makes the new key durable beside the old one; called before anything changes, while no other process can work.
    ///   - retiring: retires the old key when nothing needs it any longer; called while no other process can work.
    ///   - reached: called at each step.
    /// - Throws: `sandbox_busy` if a process is at work.
    package func rotateKeys(
        to key: VaultKey,
        by origin: AccessOrigin,
        storing: () async throws -> Void,
        retiring: () throws -> Void = {},
        reached: @escaping @Sendable (RotationStep) -> Void = { _ in }
    ) async throws -> KeyRotation {
        try await self.requireNoOtherMachine()
        let alone = try await Self.takeAlone(self.sandbox.folder)
        defer { alone.release() }
        let vault = self.vault
        try await storing()
        reached(.stored)
        let rotation = try await self.write { tx in
            let rotation = try vault.rewrap(with: key, in: tx)
            try AccessLog.append(.rotate, of: [nil], by: origin, vault: vault, in: tx)
            reached(.rewrapped)
            return rotation
        }
        reached(.committed)
        // The log still holds the old wrapped keys.
        await self.emptyLog()
        try retiring()
        return rotation
    }
}

// MARK: Alone

extension SandboxUpkeep {
    /// Waits until no process is opening the sandbox, and returns a lock; no process can open the sandbox or begin to work until
    /// the lock is released.
    ///
    /// - Throws: `sandbox_busy` if a process is at work.
    static func takeAlone(_ folder: SandboxFolder) async throws -> FileLock {
        let opening = try await Sandbox.waitForOpening(folder)
        for id in try folder.workerIDs() {
            let path = folder.workerLock(id)
            if let lock = try FileLock.acquire(path: path, creating: false) {
                lock.release()
            } else if FileManager.default.fileExists(atPath: path) {
                opening.release()
                throw await Self.occupied(by: id, folder)
            }
        }
        return opening
    }

    private static func occupied(by id: String, _ folder: SandboxFolder) async -> CodedError {
        let named = try? await Database(path: folder.database).read { tx in
            try tx.row("SELECT command, process FROM worker WHERE id = \(id)") { row in
                Message.sandboxOccupied(by: try row.next(), process: try row.next())
            }
        }
        return CodedError.busy(named ?? .sandboxOccupiedUnnamed)
    }
}
