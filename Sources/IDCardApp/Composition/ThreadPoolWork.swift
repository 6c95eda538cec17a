import IDCardPipeline
import NIOPosix

/// Runs blocking work on NIO's thread pool.
struct ThreadPoolWork: BlockingWork {
    private let pool: NIOThreadPool

    /// Takes a started pool.
    init(_ pool: NIOThreadPool) {
        self.pool = pool
    }

    func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await self.pool.runIfActive(work)
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
