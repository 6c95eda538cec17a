/// Where runs on demand are kept; part of every `CardStore`.
package protocol SourceRunStore: Sendable {
    /// Writes down a run, or what has become of it.
    func keep(_ run: SourceRun) async throws
    /// Returns a run, if there is one of this name.
    func run(_ id: String) async throws -> SourceRun?
    /// Returns the runs that have not ended, oldest first: after a restart they go on.
    func openRuns() async throws -> [SourceRun]
}
