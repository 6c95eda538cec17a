package import CardModel
package import Foundation

/// What the engine asks of the outside, so that it knows neither HTTP nor libjpeg.
package struct EnginePorts: Sendable {
    /// Reads a file, which must still be the one that was listed; throws `CodedError`.
    package var read: @Sendable (_ file: FileIdentity) async throws -> Data
    /// Makes the JPEG of a card out of source bytes, off the cooperative threads; throws `CodedError`.
    package var prepare: @Sendable (_ source: Data) async throws -> PreparedImage
    /// Makes a prepared image smaller; `nil` if it is as small as it may get.
    package var shrink: @Sendable (_ image: PreparedImage) async throws -> PreparedImage?
    /// Images named by URL.
    package var fetcher: any Fetcher
    /// The verification service.
    package var verifier: any Verifier
    /// The business backend.
    package var backend: any Backend

    package init(
        read: @escaping @Sendable (_ file: FileIdentity) async throws -> Data,
        prepare: @escaping @Sendable (_ source: Data) async throws -> PreparedImage,
        shrink: @escaping @Sendable (_ image: PreparedImage) async throws -> PreparedImage?,
        fetcher: any Fetcher,
        verifier: any Verifier,
        backend: any Backend
    ) {
        self.read = read
        self.prepare = prepare
        self.shrink = shrink
        self.fetcher = fetcher
        self.verifier = verifier
        self.backend = backend
    }
}
