package import Foundation

/// Gathers the bytes of an image as they arrive, without holding them in memory; what reaches a disk is encrypted.
///
/// One spool has one writer. When it is let go without having been finished nothing of it is left.
package protocol SourceSpool: Sendable {
    /// Adds bytes at the end.
    ///
    /// - Throws: `StoreError.diskFull` if there is no room, `unavailable` if the disk fails.
    func append(_ bytes: Data) async throws
    /// Ends the writing.
    func finish() async throws -> any SpooledSource
}
