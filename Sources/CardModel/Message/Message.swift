/// A text that a person reads: a stable id, the English text, and typed arguments.
///
///     Message("image.too_large", "the image has \(bytes: size), more than \(bytes: limit)")
///
/// The id selects the text of another language; the English may be improved at any time. A stored message includes its
/// English, so an old message is shown as it was written. ``description`` hides personal arguments; only ``text(in:)``
/// shows them. A message is thrown as an error where there is no code for it.
package struct Message: Error, Hashable, Sendable, Codable, CustomStringConvertible {
    /// Such as `image.too_large`; unique among all messages.
    package let id: String
    /// The English text with `{1}`, `{2}` … for the arguments; a brace of the text itself is doubled.
    package let english: String
    package let arguments: [Argument]

    private enum CodingKeys: String, CodingKey {
        case id = "id"
        case english = "text"
        case arguments = "arguments"
    }

    /// The message without its personal values, to be stored or shown in the clear.
    package var withoutPersonalValues: Message {
        Message(id: self.id, english: self.english, arguments: self.arguments.map(\.withoutPersonalValues))
    }

    /// The message without any text that the submitter chose.
    package var withNumbersAlone: Message {
        Message(id: self.id, english: self.english, arguments: self.arguments.map(\.withNumbersAlone))
    }

    /// Returns the text in a language, with personal values; English where the catalogue lacks it.
    package func text(in catalogue: MessageCatalogue = .current) -> String {
        self.text(in: catalogue) { $0.reveal() }
    }

    /// The English text without personal values.
    package var description: String { self.description(showing: []) }

    /// Returns the English text, in which only personal values that the reader already knows are shown.
    package func description(showing known: [String]) -> String {
        self.text(in: .english) { known.contains($0.reveal()) ? $0.reveal() : "<redacted>" }
    }

    /// Fills the arguments into the template of a language.
    func text(in catalogue: MessageCatalogue, revealing reveal: (Redacted<String>) -> String) -> String {
        var text = ""
        MessageTemplate(catalogue.template(for: self)).walk { piece in
            switch piece {
            case .character(let character): text.append(character)
            case .argument(let number):
                guard self.arguments.indices.contains(number - 1) else { return }
                text += catalogue.text(of: self.arguments[number - 1], revealing: reveal)
            }
        }
        return text
    }
}

extension Message {
    package init(_ id: StaticString, _ text: Text) { self.init(id: "\(id)", text) }

    /// Creates a message whose id ends in a code or key, such as `problem.not_found`.
    package init(id: String, _ text: Text) {
        self.init(id: id, english: text.template, arguments: text.arguments)
    }

    /// Chooses a form by the first count; both forms have the same arguments in the same order.
    package init(_ id: StaticString, one: Text, other: Text) {
        let counts = other.arguments.compactMap { if case .count(let count) = $0 { count } else { nil } }
        self.init(id, counts.first == 1 ? one : other)
    }
}
