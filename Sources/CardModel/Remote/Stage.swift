/// The stages of the pipeline, in the order in which a card passes them; the raw values are stored and shown.
package enum Stage: String, CaseIterable, Sendable, Codable {
    /// Images named by URL.
    case fetch
    /// Source bytes that were received whole.
    case prepare
    /// Prepared images.
    case verify
    /// Verified cards.
    case deliver
}
