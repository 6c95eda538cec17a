/// A stage of the pipeline that works through the store.
package enum Stage: String, CaseIterable, Sendable, Codable {
    /// Photos to JPEGs.
    case prepare
    /// JPEGs to readings.
    case verify
    /// Verified cards to the business backend.
    case deliver
}
