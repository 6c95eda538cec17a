/// A text for a person that is made at the edge: an English template and its typed arguments.
///
/// A literal makes one: `"the image has \(count) pixels, more than \(limit)"`. The template is the key under which
/// another language finds its own text, so modules write English and the command chooses the language. Values that are
/// personal data are given as `Redacted`: ``description`` hides them, only ``text(in:)`` shows them.
package struct Message: Hashable, Sendable, Codable, ExpressibleByStringInterpolation, CustomStringConvertible {
    /// A value in a message.
    package enum Argument: Hashable, Sendable, Codable {
        /// A word that no language changes: a code, a key, a command.
        case text(String)
        /// Personal data or a name that somebody chose, such as that of a file.
        case personal(Redacted<String>)
        case number(Int)
        /// A message inside this one.
        case message(Message)
    }

    /// The English text, with `{1}`, `{2}` … in the places of the arguments and braces of its own doubled.
    package let template: String
    /// The arguments in the order in which the template numbers them.
    package let arguments: [Argument]

    /// Not for others: braces would be taken for places, and a value for harmless.
    private init(template: String, arguments: [Argument]) {
        self.template = template
        self.arguments = arguments
    }

    /// The message without its personal values, for what is stored or shown in the clear.
    package var withoutPersonalValues: Message {
        Message(
            template: self.template,
            arguments: self.arguments.map { argument in
                switch argument {
                case .personal: .text("<redacted>")
                case .message(let message): .message(message.withoutPersonalValues)
                case .text, .number: argument
                }
            }
        )
    }

    /// Returns the text in a language; English where the catalogue lacks it.
    package func text(in catalogue: MessageCatalogue = .english) -> String {
        self.filled(catalogue: catalogue) { $0.reveal() }
    }

    /// The English text without personal data.
    package var description: String {
        self.filled(catalogue: .english) { _ in "<redacted>" }
    }

    /// Joins two messages into one text.
    package static func + (first: Message, second: Message) -> Message {
        var parts = Interpolation(
            literalCapacity: 0,
            interpolationCount: first.arguments.count + second.arguments.count
        )
        parts.append(first)
        parts.append(second)
        return Message(stringInterpolation: parts)
    }

    private func filled(catalogue: MessageCatalogue, revealing reveal: (Redacted<String>) -> String) -> String {
        let template = catalogue.template(for: self.template)
        var text = ""
        Self.walk(template) { piece in
            switch piece {
            case .character(let character): text.append(character)
            case .place(let number):
                guard self.arguments.indices.contains(number - 1) else { return }
                switch self.arguments[number - 1] {
                case .text(let value): text += value
                case .personal(let value): text += reveal(value)
                case .number(let value): text += String(value)
                case .message(let value): text += value.filled(catalogue: catalogue, revealing: reveal)
                }
            }
        }
        return text
    }
}

// MARK: Coding

// Written out, since messages are stored: a renamed label must not make them unreadable. A message without an id of its own
// stores its English as its id.
extension Message {
    private enum CodingKeys: String, CodingKey {
        case template = "id"
        case arguments
    }
}

extension Message.Argument {
    private enum CodingKeys: String, CodingKey {
        case text, personal, number, message
    }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        switch values.allKeys.first {
        case .text: self = .text(try values.decode(String.self, forKey: .text))
        case .personal: self = .personal(try values.decode(Redacted<String>.self, forKey: .personal))
        case .number: self = .number(try values.decode(Int.self, forKey: .number))
        case .message: self = .message(try values.decode(Message.self, forKey: .message))
        case nil:
            throw DecodingError.dataCorrupted(
                .init(codingPath: decoder.codingPath, debugDescription: "an argument of no known kind")
            )
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .text(let value): try container.encode(value, forKey: .text)
        case .personal(let value): try container.encode(value, forKey: .personal)
        case .number(let value): try container.encode(value, forKey: .number)
        case .message(let value): try container.encode(value, forKey: .message)
        }
    }
}

// MARK: Templates

extension Message {
    /// A character of a template, or the place of an argument.
    fileprivate enum Piece {
        case character(Character)
        case place(Int)
    }

    fileprivate static func escaped(_ literal: String) -> String {
        literal.replacing("{", with: "{{").replacing("}", with: "}}")
    }

    fileprivate static func walk(_ template: String, _ body: (Piece) -> Void) {
        var rest = template[...]
        while let character = rest.popFirst() {
            if character == "{" || character == "}", rest.first == character {
                rest.removeFirst()
                body(.character(character))
            } else if character == "{", let end = rest.firstIndex(of: "}"), let number = Int(rest[..<end]) {
                rest = rest[rest.index(after: end)...]
                body(.place(number))
            } else {
                body(.character(character))
            }
        }
    }
}

extension Message {
    package init(stringLiteral value: String) {
        self.init(template: Self.escaped(value), arguments: [])
    }

    package init(stringInterpolation: Interpolation) {
        self.init(template: stringInterpolation.template, arguments: stringInterpolation.arguments)
    }

    /// Collects the pieces of a literal; values come only in the types whose texts are known to be safe or are marked
    /// personal.
    package struct Interpolation: StringInterpolationProtocol {
        fileprivate var template = ""
        fileprivate var arguments: [Argument] = []

        package init(literalCapacity: Int, interpolationCount: Int) {
            self.template.reserveCapacity(literalCapacity + 4 * interpolationCount)
        }

        package mutating func appendLiteral(_ literal: String) {
            self.template += Message.escaped(literal)
        }

        package mutating func appendInterpolation(_ value: String) {
            self.append(.text(value))
        }

        package mutating func appendInterpolation(_ value: Redacted<String>) {
            self.append(.personal(value))
        }

        package mutating func appendInterpolation(_ value: some BinaryInteger) {
            self.append(.number(Int(clamping: value)))
        }

        package mutating func appendInterpolation(_ value: Double) {
            self.append(.text(String(value)))
        }

        package mutating func appendInterpolation(_ value: Message) {
            self.append(.message(value))
        }

        package mutating func appendInterpolation(_ value: some RawRepresentable<String>) {
            self.append(.text(value.rawValue))
        }

        fileprivate mutating func append(_ message: Message) {
            let offset = self.arguments.count
            Message.walk(message.template) { piece in
                switch piece {
                case .character(let character): self.template += Message.escaped(String(character))
                case .place(let number): self.template += "{\(number + offset)}"
                }
            }
            self.arguments += message.arguments
        }

        private mutating func append(_ argument: Argument) {
            self.arguments.append(argument)
            self.template += "{\(self.arguments.count)}"
        }
    }
}

/// The texts of one language by their English templates.
package struct MessageCatalogue: Sendable {
    /// The language of the templates themselves.
    package static let english = MessageCatalogue(texts: [:])

    private let texts: [String: String]

    /// Takes a translation for each template.
    package init(texts: [String: String]) {
        self.texts = texts
    }

    fileprivate func template(for english: String) -> String {
        self.texts[english] ?? english
    }
}
