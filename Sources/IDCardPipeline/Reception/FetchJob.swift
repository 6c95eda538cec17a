/// An image to be fetched, and what of it has arrived.
package struct FetchJob: Hashable, Sendable {
    /// The card it is for.
    package var card: Card
    /// Where it is.
    package var address: ImageAddress
    /// What the pieces are pieces of; `nil` as long as there are none.
    package var version: FetchedVersion?
    /// The pieces that are there, in order of their offsets, in bytes.
    package var pieces: [Range<Int>]

    /// Describes an image to be fetched.
    package init(card: Card, address: ImageAddress, version: FetchedVersion? = nil, pieces: [Range<Int>] = []) {
        self.card = card
        self.address = address
        self.version = version
        self.pieces = pieces
    }

    /// Where pieces end that join from the first byte on; `nil` if they leave a gap, overlap, or there are none.
    ///
    /// - Parameter pieces: in order of their offsets.
    package static func endOfWhole(_ pieces: [Range<Int>]) -> Int? {
        var end = 0
        for piece in pieces {
            guard piece.lowerBound == end else { return nil }
            end = piece.upperBound
        }
        return end == 0 ? nil : end
    }
}
