package import Foundation
package import IDCardCore

/// Makes the JPEG of a card out of source bytes; runs on a thread of the blocking pool.
package struct ImagePreparation: Sendable {
    /// What came of source bytes.
    package enum Outcome: Hashable, Sendable {
        /// A JPEG within the limits.
        case prepared(PreparedImage)
        /// The source cannot be used; the message says what to do.
        case refused(ReasonCode, message: String)
        /// The machine cannot do it now (no memory, no time): nothing is stored, another run may succeed.
        case unavailable(ReasonCode, message: String)
    }

    /// Recompresses source bytes.
    package var prepare: @Sendable (_ source: Data) -> Outcome
    /// Recompresses source bytes that have brought the decoder down before, out of this process.
    package var prepareIsolated: @Sendable (_ source: Data) -> Outcome
    /// Makes a prepared image smaller in bytes and pixels; `nil` if it is as small as it may get.
    package var shrink: @Sendable (_ image: PreparedImage) -> PreparedImage?

    /// Joins the functions; without one for isolation, suspect bytes are recompressed like all others.
    package init(
        prepare: @escaping @Sendable (_ source: Data) -> Outcome,
        prepareIsolated: (@Sendable (_ source: Data) -> Outcome)? = nil,
        shrink: @escaping @Sendable (_ image: PreparedImage) -> PreparedImage?
    ) {
        self.prepare = prepare
        self.prepareIsolated = prepareIsolated ?? prepare
        self.shrink = shrink
    }
}
