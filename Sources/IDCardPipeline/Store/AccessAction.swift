/// The closed set of ways in which personal data is revealed, or a person changes what becomes of it.
package enum AccessAction: String, CaseIterable, Sendable, Codable {
    /// Fields were shown to a person.
    case show
    /// Fields and image were written to a folder.
    case export
    /// The image was about to be sent to the verification service, or was sent.
    case verify
    /// The image and what goes with it were about to be sent to the business backend.
    case deliver
    /// The card was erased.
    case erase
    /// A person had the card done again.
    case retry
    /// A person decided what becomes of a held card.
    case resolve
    /// A backup took the place of the sandbox; what was revealed between the two stands in neither.
    case restore
}
