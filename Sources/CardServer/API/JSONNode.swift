import CardModel

/// A JSON value written in Swift.
indirect enum JSONNode: Encodable, Sendable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    case string(String)
    case number(Int)
    case bool(Bool)
    case array([JSONNode])
    case object([String: JSONNode])

    init(stringLiteral value: String) { self = .string(value) }
    init(integerLiteral value: Int) { self = .number(value) }
    init(booleanLiteral value: Bool) { self = .bool(value) }
    init(arrayLiteral elements: JSONNode...) { self = .array(elements) }
    init(dictionaryLiteral elements: (String, JSONNode)...) {
        self = .object(Dictionary(uniqueKeysWithValues: elements))
    }

    /// A list of texts.
    static func strings(_ texts: [String]) -> JSONNode { .array(texts.map { .string($0) }) }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .string(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .bool(let value): try container.encode(value)
        case .array(let values): try container.encode(values)
        case .object(let values): try container.encode(values)
        }
    }
}

extension JSONNode {
    /// An idempotency key: a Structured Field String (RFC 9651 section 3.3.3), or bare.
    static let idempotencyKey: JSONNode = [
        "type": "string",
        "pattern": .string(#"^("([ !#-\[\]-~]|\\["\\]){1,255}"|[!#-+\--:<-\[\]-~]{1,255})$"#),
    ]

    /// A text, percent-encoded where it is not printable ASCII (`HeaderText`); of longer sequences of UTF-8 those that
    /// are letters anywhere.
    ///
    /// - Parameter characters: the most characters of the text.
    static func headerText(_ characters: Int) -> JSONNode {
        let escaped = [
            "%[2-6][0-9A-Fa-f]", "%7[0-9A-Ea-e]", "%([Cc][3-9A-Fa-f]|[Dd][0-9A-Fa-f])%[89ABab][0-9A-Fa-f]",
            "%[Ee][1-9ABab](%[89ABab][0-9A-Fa-f]){2}",
        ]
        let units = (["[ -$&-~]"] + escaped).joined(separator: "|")
        return ["type": "string", "pattern": .string("^(\(units)){0,\(characters)}$")]
    }

    /// A side in words of any case; empty is not said.
    static let sideText: JSONNode = ["type": "string", "pattern": "^([Ff][Rr][Oo][Nn][Tt]|[Bb][Aa][Cc][Kk])?$"]

    /// A priority in figures; empty is not said.
    static let priorityText: JSONNode = ["anyOf": [.priority, ["type": "string", "maxLength": 0]]]

    /// What a field of a submission may say in its header field; empty is not said.
    static func header(_ field: SubmittedField) -> JSONNode {
        switch field {
        case .businessNumber: ["type": "string", "minLength": 1, "maxLength": 64, "pattern": "^[!-$&-~]+$"]
        case .userNumber, .expectedIDNumber, .expectedName: .headerText(128)
        case .side: .sideText
        case .priority: .priorityText
        }
    }
}
