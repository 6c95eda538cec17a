/// Runs a body that may block permanently, and waits for its value.
///
/// Once the task is cancelled, it waits only for the grace; the body continues.
///
/// - Parameter perform: runs the body on a thread that may block.
/// - Throws: `CancellationError` if there was no answer within the grace.
package func answer<Value: Sendable>(
    grace: Duration = .zero,
    on perform: (@escaping @Sendable () -> Void) -> Void,
    _ body: @escaping @Sendable () -> Value
) async throws(CancellationError) -> Value {
    let (answers, continuation) = AsyncStream.makeStream(of: Value.self)
    perform { continuation.yield(body()) }
    let waiting = Task {
        for await value in answers { return value as Value? }
        return nil
    }
    let value = await withTaskCancellationHandler {
        await waiting.value
    } onCancel: {
        guard grace > .zero else { return waiting.cancel() }
        Task {
            // Fallback of a sleep that fails: there is no grace.
            try? await Task.sleep(for: grace)
            waiting.cancel()
        }
    }
    guard let value else { throw CancellationError() }
    return value
}
