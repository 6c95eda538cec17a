/// Makes spools; the store does.
package protocol SourceSpooling: Sendable {
    /// Makes an empty spool.
    func makeSpool() throws -> any SourceSpool
}
