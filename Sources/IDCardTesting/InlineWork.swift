import IDCardPipeline

/// Runs blocking work where it is called; for tests whose work does not block.
package struct InlineWork: BlockingWork {
    /// Makes it.
    package init() {}

    package func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try work()
    }
}
