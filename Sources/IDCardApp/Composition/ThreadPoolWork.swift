import Glibc
import IDCardPipeline
import NIOPosix

/// Runs blocking work on NIO's thread pool.
///
/// Its threads give way to all others: reading and decoding is where cards begin, and a processor that is short is to
/// finish what was begun, so that fewer cards are under way at once, whose images take memory.
struct ThreadPoolWork: BlockingWork {
    /// How much nicer than the rest of the process its threads are (nice(2)).
    private static let courtesy: Int32 = 5
    /// With number zero the calling thread, on Linux.
    private static let thread = Int32(PRIO_PROCESS.rawValue)

    private let pool: NIOThreadPool
    private let niceness: Int32

    /// Takes a started pool.
    init(_ pool: NIOThreadPool) {
        self.pool = pool
        self.niceness = getpriority(Self.thread, 0) + Self.courtesy
    }

    func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await self.pool.runIfActive { [niceness = self.niceness] in
            // Where it is forbidden all threads count the same.
            setpriority(Self.thread, 0, niceness)
            return try work()
        }
    }

    /// Starts a pool, hands it to a function, and stops it when the function is done.
    static func with<Value: Sendable>(
        threads: Int,
        _ body: (ThreadPoolWork) async throws -> Value
    ) async throws -> Value {
        let pool = NIOThreadPool(numberOfThreads: threads)
        pool.start()
        let result: Result<Value, any Error>
        do {
            result = .success(try await body(ThreadPoolWork(pool)))
        } catch {
            result = .failure(error)
        }
        try await pool.shutdownGracefully()
        return try result.get()
    }
}
