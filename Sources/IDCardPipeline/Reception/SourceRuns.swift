/// Starts batches over the sources named in the configuration, and tells of them.
package protocol SourceRuns: Sendable {
    /// Starts a run; durable when it returns.
    ///
    /// While another run of the same source is under way, the new one waits for it, as that has looked for its inputs
    /// already. A run that has not looked yet is returned instead of a further one.
    ///
    /// - Returns: `nil` if there is no source of this name.
    func start(_ source: String) async throws -> SourceRun?
    /// Returns a run, if there is one of this name.
    func run(_ id: String) async throws -> SourceRun?
}
