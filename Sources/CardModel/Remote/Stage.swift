/// The stages of the pipeline, in the order in which a card passes them; the raw values are stored and shown.
package enum Stage: String, CaseIterable, Sendable, Codable {
    /// Images named by URL.
    case fetch = "fetch"
    /// Completely received source bytes.
    case prepare = "prepare"
    /// Prepared images.
    case verify = "verify"
    /// Verified cards.
    case deliver = "deliver"
}
