/// What a verification service takes as an image; `nil` where the vendor's limit is not confirmed.
///
/// The service answers `INVALID_IMAGE_SIZE` to pixels that are too many and to pixels that are too few. The first is
/// cured by a smaller image, the second by nothing: enlarging adds no detail. So what is too small is best refused
/// before it is sent.
package struct VerificationLimits: Hashable, Sendable {
    /// The shortest edge that is taken, in pixels.
    package let minimumEdge: Int?
    /// The longest edge that is taken, in pixels.
    package let maximumEdge: Int?
    /// The largest file that is taken, in bytes. Where the vendor says MB, the smaller reading: 1,000,000 bytes.
    package let maximumFileBytes: Int?

    /// Describes limits.
    package init(minimumEdge: Int? = nil, maximumEdge: Int? = nil, maximumFileBytes: Int? = nil) {
        self.minimumEdge = minimumEdge
        self.maximumEdge = maximumEdge
        self.maximumFileBytes = maximumFileBytes
    }

    /// Whether an image has an edge below the known minimum, so that the service can only refuse it.
    ///
    /// - Parameters:
    ///   - width: in pixels.
    ///   - height: in pixels.
    package func isTooSmall(width: Int, height: Int) -> Bool {
        self.minimumEdge.map { min(width, height) < $0 } ?? false
    }
}
