/// What the sender of a photo says it should show.
package struct CardExpectation: Hashable, Sendable {
    /// The side that was to be photographed.
    package var side: CardSide?
    /// The number the holder registered with.
    package var idNumber: Redacted<String>?
    /// The name the holder registered with.
    package var name: Redacted<String>?

    /// Describes an expectation; by default none.
    package init(side: CardSide? = nil, idNumber: Redacted<String>? = nil, name: Redacted<String>? = nil) {
        self.side = side
        self.idNumber = idNumber
        self.name = name
    }
}

extension CardMetadata {
    /// What the verdict compares a reading with.
    package var expectation: CardExpectation {
        CardExpectation(side: self.side, idNumber: self.expectedIDNumber, name: self.expectedName)
    }
}
