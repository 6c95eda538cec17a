import Foundation
import IDCardCore
import IDCardPipeline
import IDCardTesting
import Logging
import Synchronization

/// Keeps what is logged, as a person would read it.
final class LoggedLines: Sendable {
    private let stored = Mutex<[String]>([])

    var all: [String] { self.stored.withLock { $0 } }
    var handler: any LogHandler { Handler(lines: self) }

    private struct Handler: LogHandler {
        let lines: LoggedLines
        var metadata: Logger.Metadata = [:]
        var logLevel = Logger.Level.trace

        init(lines: LoggedLines) { self.lines = lines }

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { self.metadata[key] }
            set { self.metadata[key] = newValue }
        }

        func log(event: LogEvent) {
            let values = (event.metadata ?? [:]).map { "\($0)=\($1)" }.sorted().joined(separator: " ")
            self.lines.stored.withLock { $0.append("\(event.message) \(values)") }
        }
    }
}

/// A store of runs whose disk is full for some of the writes, counted from 1.
final class FillingStore: SourceRunStore {
    private let store = InMemoryStore()
    private let refused: ClosedRange<Int>
    private let writes = Mutex(0)

    init(refusing refused: ClosedRange<Int>) { self.refused = refused }

    func keep(_ run: SourceRun) async throws {
        let number = self.writes.withLock { writes in
            writes += 1
            return writes
        }
        guard !self.refused.contains(number) else { throw StoreError(.diskFull, "full") }
        try await self.store.keep(run)
    }

    func run(_ id: String) async throws -> SourceRun? { try await self.store.run(id) }
    func openRuns() async throws -> [SourceRun] { try await self.store.openRuns() }
}

/// Counts what it is given to run.
final class HeldWork: BlockingWork {
    private let counted = Mutex(0)

    var count: Int { self.counted.withLock { $0 } }

    func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        self.counted.withLock { $0 += 1 }
        return try work()
    }
}

/// Lets nobody pass until it is opened, and everybody from then on.
final class OpenOnce: Sendable {
    private let (opened, opener) = AsyncStream.makeStream(of: Void.self)

    func open() { self.opener.finish() }

    func pass() async { for await _ in self.opened {} }
}
