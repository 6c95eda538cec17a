import IDCardCore

/// How many documents a persisted form holds and whether their answers are needed one by one: read from its parts,
/// because the configuration may have changed since they were written.
struct DeliveryShape: Hashable, Sendable {
    /// How many cards the form holds.
    var members = 1
    /// Whether the form is one of the layout `batch` with several cards, whose `ITEMS` must then fit.
    var isBatch = false

    /// A form with one card.
    static let single = DeliveryShape()

    /// Describes a shape.
    init(members: Int = 1, isBatch: Bool = false) {
        self.members = members
        self.isBatch = isBatch
    }

    /// Reads the shape of a form: an `application` repeats one text per further card, a `batch` three.
    init(of parts: [DeliveryPart]) {
        let images = parts.indices.filter { index in
            if case .image = parts[index].content { true } else { false }
        }
        self.members = images.count
        self.isBatch = images.count > 1 && images[1] - images[0] > 2
    }
}
