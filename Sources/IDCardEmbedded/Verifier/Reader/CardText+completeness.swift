extension CardText.Side {
    /// Whether every field was read; the number may have a wrong check character, but has 18.
    var isComplete: Bool {
        switch self {
        case .front(let front): self.fieldCount == 6 && front.number?.count == 18
        case .back: self.fieldCount == 2
        }
    }

    /// How many fields were read.
    var fieldCount: Int {
        switch self {
        case .front(let front):
            [front.name, front.gender, front.ethnicity, front.address, front.number].count { $0 != nil }
                + (front.birth == nil ? 0 : 1)
        case .back(let back):
            [back.issuer, back.validity].count { $0 != nil }
        }
    }
}
