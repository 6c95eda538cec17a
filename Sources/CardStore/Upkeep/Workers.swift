package import CardModel
import Foundation
import Glibc

/// A process that works on the sandbox: its claims are valid as long as it holds its lock.
package final class Worker: Sendable {
    package let id: String
    private let lock: FileLock
    fileprivate let boot: String
    /// The workers of other boots that were dead before this one began, with their last heartbeats: rows that a reboot left.
    fileprivate let left: [String: Timestamp]

    fileprivate init(id: String, lock: FileLock, boot: String, left: [String: Timestamp]) {
        (self.id, self.lock, self.boot, self.left) = (id, lock, boot, left)
    }

    /// The time between two heartbeats of a worker, each of which also looks for dead workers.
    package static let heartbeat = Duration.seconds(2)
    /// The boot id of this machine, the same for all its containers; empty if the system does not tell it.
    package static let boot =
        (try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8))?.trimmed ?? ""

    package var isAlive: Bool { self.lock.isInPlace }

    /// Throws if the lock file was removed: the process that did so has taken over the claims.
    package func requireLock() throws { if !self.isAlive { throw Self.replaced } }

    fileprivate static let replaced = CodedError.unavailable(.workerReplaced)

    func release() { self.lock.release() }
}

/// A stalled stage of a process: it is idle although it has due work.
package struct StageStandstill: Hashable, Sendable {
    var stage: Stage
    var since: Timestamp

    package init(stage: Stage, since: Timestamp) {
        self.stage = stage
        self.since = since
    }
}

/// A process that works on the sandbox, as `status` shows it.
package struct WorkerStatus: Hashable, Sendable, Record {
    package var id: String
    /// The command: `run`, `watch` or `serve`.
    package var command: String
    package var process: Int32
    package var startedAt: Timestamp
    /// When the process last wrote its heartbeat.
    package var seenAt: Timestamp
    /// How many cards and deliveries the process has claimed.
    package var claims: Int
    /// How many files stay in the watched folders because they cannot be admitted.
    package var staying: Int
    /// The issues of the process's tokens.
    package var tokens: TokenIssue
    var standstill: StageStandstill?

    static let columns: SQL = """
        id, command, process, started_at, seen_at, (SELECT count(*) FROM card WHERE card.worker = worker.id)
        + (SELECT count(*) FROM delivery WHERE delivery.worker = worker.id), staying, barred, shut, stalled, stalled_since
        """
    static let tables: SQL = "worker"

    init(_ row: inout Row) throws {
        (self.id, self.command) = (try row.next(), try row.next())
        self.process = Int32(truncatingIfNeeded: try row.next(Int64.self))
        (self.startedAt, self.seenAt) = (try row.next(), try row.next())
        (self.claims, self.staying) = (try row.next(), try row.next())
        let barred = try row.next(String.self).split(separator: " ").map(String.init)
        self.tokens = TokenIssue(barred: barred, isShut: try row.next())
        let (stage, since) = (try row.next(Stage?.self), try row.next(Timestamp?.self))
        if let stage, let since { self.standstill = StageStandstill(stage: stage, since: since) }
    }
}

/// The issues of the tokens of a process that serves.
package struct TokenIssue: Hashable, Sendable {
    /// The names of tokens that are not accepted, because webhook clients have the same names.
    var barred: [String]
    /// Whether no token is accepted.
    var isShut: Bool

    package init(barred: [String] = [], isShut: Bool = false) { (self.barred, self.isShut) = (barred, isShut) }
}

// MARK: Workers

extension SandboxUpkeep {
    /// Starts a worker: acquires its lock, and stores its row.
    ///
    /// - Parameters:
    ///   - boot: the boot id of this machine; unknown if it is empty.
    ///   - pause: waits for the time between two heartbeats of another worker.
    /// - Throws: `sandbox_unavailable` while a process of another machine works on the sandbox.
    package func startWorker(
        id: String,
        command: String,
        boot: String = Worker.boot,
        now: Timestamp,
        pause: () async throws -> Void = { try await Task.sleep(for: Worker.heartbeat) }
    ) async throws -> Worker {
        let left = try await self.requireNoOtherMachine(boot: boot, pause)
        // The lock file is enough to show that this process works, so others need not wait until the row is written.
        let opening = try await Sandbox.waitForOpening(self.sandbox.folder)
        let path = self.sandbox.folder.workerLock(id)
        let taken = Result { try FileLock.acquire(path: path, creating: true) }
        opening.release()
        guard let lock = try taken.get() else { throw Sandbox.busy }
        self.sandbox.intake.reserve.ensure(freeBytes: self.sandbox.intake.freeBytes)
        do {
            try await self.write(at: now) { tx in
                // The key may have changed since the sandbox was opened.
                let key: String? = try tx.value("SELECT key_id FROM store")
                guard key == self.vault.wrapping.id else { throw CodedError.busy(.workerKeyChanged) }
                try tx.run(
                    """
                    INSERT INTO worker (id, command, process, started_at, seen_at, boot)
                    VALUES (\(id), \(command), \(Int64(getpid())), \(now), \(now), \(boot))
                    """
                )
            }
        } catch {
            unlink(path)
            throw error
        }
        return Worker(id: id, lock: lock, boot: boot, left: left)
    }

    /// Throws if a process of another machine, whose locks may be invisible here, works on the sandbox.
    ///
    /// Watches the rows of other boots for three heartbeats: such a process writes its heartbeat, and a row that a reboot left
    /// does not change.
    ///
    /// - Returns: the last heartbeats of the unchanged rows.
    @discardableResult
    func requireNoOtherMachine(
        boot: String = Worker.boot,
        _ pause: () async throws -> Void = { try await Task.sleep(for: Worker.heartbeat) }
    ) async throws -> [String: Timestamp] {
        var left: [String: Timestamp] = [:]
        for worker in try await self.workers(ofOtherThan: boot) { left[worker.id] = worker.seenAt }
        for _ in 0..<(left.isEmpty ? 0 : 3) {
            try await pause()
            try await self.requireNoOtherMachine(than: boot, left)
        }
        return left
    }

    /// Throws if a worker of another boot has written a heartbeat that `left` does not have.
    private func requireNoOtherMachine(than boot: String, _ left: [String: Timestamp]) async throws {
        for worker in try await self.workers(ofOtherThan: boot) where left[worker.id] != worker.seenAt {
            throw CodedError(.sandboxUnavailable, .configuration, .sandboxOtherHost(worker))
        }
    }

    /// Returns the workers of other boots; none if this boot is unknown.
    private func workers(ofOtherThan boot: String) async throws -> [WorkerStatus] {
        try await self.read { tx in try WorkerStatus.all("WHERE \(boot) <> '' AND boot NOT IN ('', \(boot))", in: tx) }
    }

    /// Stops a worker: releases its claims and its lock.
    ///
    /// - Returns: the cards that are held because the worker was sending them.
    @discardableResult
    package func stop(
        _ worker: Worker,
        onUnknown: UnknownPolicy = .resend,
        now: Timestamp
    ) async throws -> [CardChange] {
        let held = try await self.write(at: now) { tx in
            try self.releaseClaims(of: worker.id, onUnknown: onUnknown, in: tx)
        }
        unlink(self.sandbox.folder.workerLock(worker.id))
        worker.release()
        return held
    }

    /// Writes the heartbeat and releases the claims of dead workers.
    ///
    /// - Parameters:
    ///   - staying: how many files stay in the watched folders.
    ///   - tokens: the issues of the process's tokens.
    ///   - standstill: the stalled stage, if any.
    /// - Returns: the number of dead workers, and the cards that are held because a dead worker was sending them.
    /// - Throws: `sandbox_unavailable`, also while a process of another machine works on the sandbox.
    @discardableResult
    package func heartbeat(
        of worker: Worker,
        onUnknown: UnknownPolicy = .resend,
        staying: Int = 0,
        tokens: TokenIssue = TokenIssue(),
        standstill: StageStandstill? = nil,
        now: Timestamp
    ) async throws -> (dead: Int, held: [CardChange]) {
        self.sandbox.preparedImages.age()
        let others = try await self.read { tx in
            try tx.values("SELECT id FROM worker WHERE id <> \(worker.id)", as: String.self)
        }
        // Checked again: two workers that began together did not see each other's rows.
        try await self.requireNoOtherMachine(than: worker.boot, worker.left)
        // Locks each dead worker, so that only one process takes over the claims; a worker without a lock file counts as dead.
        let dead = try others.compactMap { id in
            try FileLock.acquire(path: self.sandbox.folder.workerLock(id), creating: true).map { (id: id, lock: $0) }
        }
        defer { dead.forEach { $0.lock.release() } }
        let ids = dead.map(\.id)
        let held = try await self.write(at: now) { tx in
            try self.requireLock(of: worker, in: tx)
            try tx.run(
                """
                UPDATE worker SET seen_at = \(now), staying = \(staying),
                barred = \(tokens.barred.joined(separator: " ")), shut = \(tokens.isShut), stalled = \(standstill?.stage),
                stalled_since = \(standstill?.since) WHERE id = \(worker.id)
                """
            )
            try Self.recordClock(in: tx)
            try self.sandbox.stages.judgeDoubtedAgain(in: tx)
            return try ids.flatMap { try self.releaseClaims(of: $0, onUnknown: onUnknown, in: tx) }
        }
        for id in ids { unlink(self.sandbox.folder.workerLock(id)) }
        await self.emptyLog(ifDue: true)
        self.sandbox.intake.reserve.ensure(freeBytes: self.sandbox.intake.freeBytes)
        return (ids.count, held)
    }

    /// Throws `sandbox_unavailable` if another process considered the worker dead, and has taken over the claims.
    func requireLock(of worker: Worker, in tx: Transaction) throws {
        guard try tx.exists("SELECT 1 FROM worker WHERE id = \(worker.id)") else { throw Worker.replaced }
    }

    /// Releases the claims of a worker, and deletes it; returns the cards that are held because a delivery may have arrived.
    private func releaseClaims(of worker: String, onUnknown: UnknownPolicy, in tx: Transaction) throws -> [CardChange] {
        let interrupted: [DeliveryID] = try tx.values(
            """
            UPDATE delivery SET may_be_applied = 1 WHERE state IN \(deliveries: .open, .kept) AND id IN (
                SELECT subject FROM attempt WHERE worker = \(worker) AND stage = \(literal: .deliver) AND ended_at IS NULL
            ) RETURNING id
            """
        )
        let held = try (onUnknown == .hold ? interrupted : []).flatMap { id in
            let delivery = try DeliveryRecord(id, store: self.sandbox, in: tx)
            try delivery.holdAsUnknown(Self.interruption)
            return try delivery.memberStates
        }
        try tx.run(
            """
            UPDATE attempt SET ended_at = \(tx.now), class = \(FailureClass.unknown), code = 'interrupted'
            WHERE worker = \(worker) AND ended_at IS NULL
            """
        )
        try tx.run("UPDATE card SET worker = NULL WHERE worker = \(worker)")
        try tx.run("UPDATE delivery SET worker = NULL WHERE worker = \(worker)")
        try tx.run("UPDATE run SET worker = NULL WHERE worker = \(worker)")
        try tx.run("DELETE FROM worker WHERE id = \(worker)")
        return held
    }

    private static let interruption = RemoteFailure(.unknown, code: "interrupted", message: .deliveryInterrupted)

    /// Whether a worker's process lives; the row of a dead one stays until another process takes over the claims.
    func isAtWork(_ worker: String) -> Bool { FileLock.isHeld(path: self.sandbox.folder.workerLock(worker)) }

    /// Returns the workers whose processes live.
    package func workers() async throws -> [WorkerStatus] {
        let workers = try await self.read { tx in try WorkerStatus.all("ORDER BY started_at, id", in: tx) }
        return workers.filter { self.isAtWork($0.id) }
    }
}
