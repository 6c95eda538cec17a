/// Starts batches over the sources named in the configuration, and tells of them.
package protocol SourceRuns: Sendable {
    /// The names of the sources, sorted.
    var names: [String] { get }
    /// Starts a run; durable when it returns. A run of the same source that goes on is returned instead of a second one.
    ///
    /// - Returns: `nil` if there is no source of this name.
    func start(_ source: String) async throws -> SourceRun?
    /// Returns a run, if there is one of this name.
    func run(_ id: String) async throws -> SourceRun?
}
