package import Foundation
package import IDCardCore

/// The bytes of an image that have arrived whole, and can be read once they are needed.
package protocol SpooledSource: Sendable {
    /// How many bytes there are.
    var byteCount: Int { get }
    /// Their digest.
    var digest: ContentDigest { get }
    /// The first bytes, at most 64: enough to tell the format.
    var head: Data { get }
    /// Returns some of the bytes, at most 1 MiB, or none at the end.
    func read(at offset: Int) throws -> Data
}
