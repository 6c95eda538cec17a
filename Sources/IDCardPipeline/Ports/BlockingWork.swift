/// A pool of threads for work that blocks or computes for long (files, libjpeg); never the cooperative pool.
package protocol BlockingWork: Sendable {
    /// Runs a function on a thread of the pool and returns its result.
    func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value
}
