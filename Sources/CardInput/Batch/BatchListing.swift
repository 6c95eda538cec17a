package import CardModel
import CardStore

/// What a list of photos comes to, before any of them is read.
package struct BatchListing: Sendable {
    /// What becomes of one file or row.
    package enum Entry: Hashable, Sendable {
        /// It is taken in.
        case take(InputItem)
        /// It is refused, and why.
        case refuse(RefusedInput)
        /// It was found in passing and is no image.
        case ignore(Redacted<String>)
    }

    /// All files and rows, in the order of the list.
    package let entries: [Entry]
    /// What was passed over: the rule, such as `#recycle` or `*.bak`, and how many files or folders.
    package let passedOver: [String: Int]

    /// Takes the entries of a list; refuses all photos of a number that has too many of them.
    init(_ entries: [Entry], passedOver: [String: Int]) {
        var counts: [BusinessNumber: Int] = [:]
        for case .take(let item) in entries { counts[item.metadata.businessNumber, default: 0] += 1 }
        self.passedOver = passedOver
        self.entries = entries.map { entry in
            guard case .take(let item) = entry, let count = counts[item.metadata.businessNumber],
                count > Limits.photosPerNumber
            else { return entry }
            return .refuse(RefusedInput(name: item.name, error: Self.tooManyPhotos(item, count)))
        }
    }

    /// Returns the list with photos refused for which a rule gives an error.
    package func refusing(_ rule: (InputItem) -> CodedError?) -> BatchListing {
        let entries = self.entries.map { entry in
            guard case .take(let item) = entry, let error = rule(item) else { return entry }
            return Entry.refuse(RefusedInput(name: item.name, error: error))
        }
        return BatchListing(entries, passedOver: self.passedOver)
    }

    /// The photos to take in, in the order of the list.
    package var items: [InputItem] {
        self.entries.compactMap { if case .take(let item) = $0 { item } else { nil } }
    }

    /// The inputs that are refused, in the order of the list.
    package var refused: [RefusedInput] {
        self.entries.compactMap { if case .refuse(let input) = $0 { input } else { nil } }
    }

    /// The photos by business number, all of one number together; numbers in the order of their first photo.
    package var groups: [[InputItem]] {
        var groups: [[InputItem]] = []
        var places: [BusinessNumber: Int] = [:]
        for item in self.items {
            let number = item.metadata.businessNumber
            if let place = places[number] {
                groups[place].append(item)
            } else {
                places[number] = groups.count
                groups.append([item])
            }
        }
        return groups
    }

    private static func tooManyPhotos(_ item: InputItem, _ count: Int) -> CodedError {
        CodedError(
            .tooManyPhotos,
            .input,
            """
            \(count) photos of this list have the business number \(item.metadata.businessNumber.rawValue), more than \
            \(Limits.photosPerNumber); is the folder level right? name the folder above those of the cases, or set \
            --business-no-from
            """
        )
    }

    /// What to say of a list without a photo; `nil` if it has one, or something that is refused.
    package var emptiness: Message? {
        guard !self.entries.contains(where: { if case .ignore = $0 { false } else { true } }) else { return nil }
        let passed = self.passedOver.values.reduce(0, +)
        return """
            there are no photos: \(self.entries.count) files are no images, and \(passed) files or folders were passed over \
            because of their names; check which folder or manifest is meant
            """
    }
}
