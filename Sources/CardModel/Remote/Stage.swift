/// The stages of the pipeline, in the order in which a card passes them; the raw values are stored and shown.
package enum Stage: String, CaseIterable, Sendable, Codable {
    /// Fetches images named by URL.
    case fetch = "fetch"
    /// Makes the JPEG from completely received source bytes.
    case prepare = "prepare"
    /// Has prepared images read and judged.
    case verify = "verify"
    /// Sends verified cards to the backend.
    case deliver = "deliver"
}
