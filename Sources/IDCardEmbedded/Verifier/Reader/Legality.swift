/// How likely a picture belongs to each of the vendor's five classes; the numbers add up to 1.
package struct Legality: Sendable, Equatable {
    /// A genuine card, photographed.
    package var idPhoto: Double

    /// A temporary card.
    package var temporaryIDPhoto: Double

    /// A photocopy.
    package var photocopy: Double

    /// A card photographed from a screen.
    package var screen: Double

    /// A picture that was put together or edited.
    package var edited: Double
}
