import Foundation
import GRDB
import Glibc
import IDCardCore
import IDCardPipeline
import IDCardTesting
import Testing

@testable import IDCardSandbox

/// Several processes use one sandbox at once, and none ever finds it locked.
@Suite(.serialized)
struct SeveralProcessesTests {
    let folder = SandboxFolder()

    /// Opens, admits, claims and closes again and again, as `run` after `run` does.
    private static func work(in path: String, from first: Int) async throws {
        for round in 0..<8 {
            let store = try SandboxStore.open(
                directory: path,
                options: SandboxOptions(
                    endpoints: .embedded,
                    vault: .sample,
                    storage: SandboxFolder.storage,
                    now: .second(0)
                )
            )
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<6 {
                    group.addTask {
                        _ = try await store.admit(.sample(first + round * 6 + number), now: .second(1))
                        _ = try await store.claimPrepared(limit: 1, until: .second(99), now: .second(1))
                        _ = try await store.reclaimLeases(now: .second(1))
                    }
                }
                try await group.waitForAll()
            }
            try await store.close()
        }
    }

    /// Looks and copies again and again, as `cards list` and `backup` do; opens only to look, beside nobody at times.
    private func look(until isDone: () -> Bool) async throws -> Int {
        var copies = 0
        repeat {
            let looking = try self.folder.open(nil, readOnly: true)
            _ = try await looking.stateCounts()
            try await looking.close()
            var configuration = Configuration()
            configuration.busyMode = .timeout(30)
            let copy = self.folder.path + ".copy"
            let queue = try DatabaseQueue(path: self.folder.database, configuration: configuration)
            try await queue.writeWithoutTransaction { db in
                try db.execute(sql: "VACUUM INTO ?", arguments: [copy])
            }
            try queue.close()
            try FileManager.default.removeItem(atPath: copy)
            copies += 1
        } while !isDone()
        return copies
    }

    @Test(
        "three processes write, open and close at once beside readers and copies",
        .timeLimit(.minutes(Sanitizer.minutes(5)))
    )
    func hammering() async throws {
        try await self.folder.open().close()
        let isDone = Flag()
        let copies = try await withThrowingTaskGroup(of: Int.self) { group in
            group.addTask { try await self.look(until: { isDone.isRaised }) }
            group.addTask {
                defer { isDone.raise() }
                await withTaskGroup(of: Void.self) { children in
                    for first in [1000, 2000, 3000] {
                        children.addTask { [path = self.folder.path as String] in
                            await #expect(processExitsWith: .exitCode(42)) {
                                [path = path as String, first = first as Int] in
                                do {
                                    try await Self.work(in: path, from: first)
                                    exit(42)
                                } catch {
                                    FileHandle.standardError.write(Data("\(error)\n".utf8))
                                    exit(1)
                                }
                            }
                        }
                    }
                }
                return 0
            }
            return try await group.reduce(0, +)
        }
        #expect(copies > 0)
        let store = try self.folder.open()
        #expect(try await store.stateCounts() == [.prepared: 3 * 48])
        #expect(try self.folder.raw { try String.fetchOne($0, sql: "PRAGMA integrity_check") } == "ok")
        // The leases of all that have ended are free again.
        _ = try await store.reclaimLeases(now: .second(2))
        #expect(try await store.claimPrepared(limit: 999, until: .second(99), now: .second(2)).count == 144)
        #expect(try self.folder.owners().count == 1)
    }

    @Test(
        "after kill -9 several open it at once, some only to look, and all recover it",
        .timeLimit(.minutes(Sanitizer.minutes(2)))
    )
    func recovery() async throws {
        for round in 0..<4 {
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = self.folder.path as String, round = round as Int] in
                let store = try SandboxStore.open(
                    directory: path,
                    options: SandboxOptions(
                        endpoints: .embedded,
                        vault: .sample,
                        storage: SandboxFolder.storage,
                        now: .second(0)
                    )
                )
                for number in 0..<5 { _ = try await store.admit(.sample(round * 5 + number), now: .second(1)) }
                kill(getpid(), SIGKILL)
            }
            let counts = try await withThrowingTaskGroup(of: Int?.self) { group in
                for number in 0..<6 {
                    group.addTask {
                        let store = try self.folder.open(number < 3 ? nil : .embedded, readOnly: number < 3)
                        let count = try await store.stateCounts()[.prepared]
                        try await store.close()
                        return count
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(counts == Array(repeating: (round + 1) * 5, count: 6))
        }
    }

    @Test("who waits for its turn gets it, however busy another is", .timeLimit(.minutes(Sanitizer.minutes(2))))
    func turns() async throws {
        try await self.folder.open().close()
        let path = self.folder.path + "/write.lock"
        let isDone = Flag()
        let greedy = try await withThrowingTaskGroup(of: Int.self) { group in
            group.addTask {
                try await onThread {
                    let turn = try WriteTurn(path: path, timeout: .seconds(60))
                    var turns = 0
                    while !isDone.isRaised {
                        // Not to wait for anything: this is the work that is done in a turn.
                        try turn.hold { _ = usleep(3000) }
                        turns += 1
                    }
                    return turns
                }
            }
            group.addTask {
                defer { isDone.raise() }
                return try await onThread {
                    let turn = try WriteTurn(path: path, timeout: .seconds(60))
                    for _ in 0..<50 {
                        // As above.
                        try turn.hold { _ = usleep(3000) }
                    }
                    return 0
                }
            }
            return try await group.reduce(0, +)
        }
        // One of the other's for each of its own, give or take; without a queue it is hundreds.
        #expect(greedy < 300)
    }

    @Test("a turn that another keeps for too long is told as such")
    func timeout() async throws {
        try await self.folder.open().close()
        let path = self.folder.path + "/write.lock"
        let other = try WriteTurn(path: path, timeout: .seconds(60))
        let turn = try WriteTurn(path: path, timeout: .milliseconds(20))
        let error = try other.hold { #expect(throws: StoreError.self) { try turn.hold {} } }
        #expect(error?.code == .unavailable)
        #expect(error?.message.contains("another process") == true)
        try turn.hold {}
    }
}
