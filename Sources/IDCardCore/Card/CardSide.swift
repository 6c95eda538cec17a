/// The side of a resident identity card that a photo shows.
package enum CardSide: String, CaseIterable, Sendable, Codable {
    /// The portrait side (人像面): name, number, address.
    case front
    /// The emblem side (国徽面): issuer and validity.
    case back
}
