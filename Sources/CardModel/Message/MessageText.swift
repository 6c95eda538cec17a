extension Message {
    /// An English text with typed arguments, as a literal gives it.
    ///
    /// A plain string is not an argument: it is either a `code`, which may be printed anywhere, or `Redacted`.
    package struct Text: ExpressibleByStringInterpolation, Sendable {
        package let template: String
        package let arguments: [Argument]

        package init(stringLiteral value: String) {
            self.template = MessageTemplate.escaped(value)
            self.arguments = []
        }

        package init(stringInterpolation: Interpolation) {
            self.template = stringInterpolation.template
            self.arguments = stringInterpolation.arguments
        }
    }
}

extension Message.Text {
    /// Collects the pieces of a literal.
    package struct Interpolation: StringInterpolationProtocol {
        fileprivate var template = ""
        fileprivate var arguments: [Message.Argument] = []

        package init(literalCapacity: Int, interpolationCount: Int) {
            self.template.reserveCapacity(literalCapacity + 4 * interpolationCount)
        }

        package mutating func appendLiteral(_ literal: String) {
            self.template += MessageTemplate.escaped(literal)
        }

        /// A word that no language changes: a code, a key, a command, a path from the configuration.
        package mutating func appendInterpolation(code value: String) { self.append(.code(value)) }

        package mutating func appendInterpolation(_ value: some RawRepresentable<String>) {
            self.append(.code(value.rawValue))
        }

        /// Personal data, free text, or a name that a person chose, such as that of a file.
        package mutating func appendInterpolation(_ value: Redacted<String>) { self.append(.personal(value)) }

        /// A number that is not a count, such as a status or a port.
        package mutating func appendInterpolation(_ value: some BinaryInteger) { self.append(.code(String(value))) }

        package mutating func appendInterpolation(_ value: Double) { self.append(.code(String(value))) }

        /// A count; the first count of a text selects its form.
        package mutating func appendInterpolation(count value: some BinaryInteger) {
            self.append(.count(Int(clamping: value)))
        }

        package mutating func appendInterpolation(bytes value: some BinaryInteger) {
            self.append(.bytes(Int64(clamping: value)))
        }

        package mutating func appendInterpolation(_ value: Duration) { self.append(.duration(value)) }

        package mutating func appendInterpolation(_ value: Timestamp) { self.append(.date(value)) }

        /// An error number of the system (`errno`).
        package mutating func appendInterpolation(errno value: Int32) { self.append(.errno(value)) }

        /// Codes with commas between them.
        package mutating func appendInterpolation(codes values: some Sequence<String>) {
            self.append(.list(values.map(Message.Argument.code)))
        }

        /// Several clauses, each with an id of its own, with commas between them.
        package mutating func appendInterpolation(_ values: [Message]) {
            self.append(.list(values.map(Message.Argument.message)))
        }

        /// A whole clause with an id of its own.
        package mutating func appendInterpolation(_ value: Message) { self.append(.message(value)) }

        private mutating func append(_ argument: Message.Argument) {
            self.arguments.append(argument)
            self.template += "{\(self.arguments.count)}"
        }
    }
}

/// A text with `{1}`, `{2}` … for its arguments; a brace of the text itself is doubled.
struct MessageTemplate {
    enum Piece {
        case character(Character)
        /// Counted from 1.
        case argument(Int)
    }

    let text: String

    init(_ text: String) { self.text = text }

    static func escaped(_ literal: String) -> String {
        literal.contains { $0 == "{" || $0 == "}" }
            ? literal.replacing("{", with: "{{").replacing("}", with: "}}") : literal
    }

    /// Passes the characters and arguments of the text to `body`, in order.
    func walk(_ body: (Piece) -> Void) {
        var remaining = self.text[...]
        while let character = remaining.popFirst() {
            if character == "{" || character == "}", remaining.first == character {
                remaining.removeFirst()
                body(.character(character))
            } else if character == "{", let end = remaining.firstIndex(of: "}"), let number = Int(remaining[..<end]) {
                remaining = remaining[remaining.index(after: end)...]
                body(.argument(number))
            } else {
                body(.character(character))
            }
        }
    }

    /// The highest argument number in the text; 0 if there is none.
    var argumentCount: Int {
        var count = 0
        self.walk { if case .argument(let number) = $0 { count = max(count, number) } }
        return count
    }
}
