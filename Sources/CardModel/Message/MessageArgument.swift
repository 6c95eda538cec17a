extension Message {
    /// A value in a message; the catalogue of a language formats it.
    package indirect enum Argument: Hashable, Sendable {
        case code(String)
        case personal(Redacted<String>)
        case count(Int)
        case bytes(Int64)
        case duration(Duration)
        case date(Timestamp)
        case errno(Int32)
        case list([Argument])
        case message(Message)

        var withNumbersAlone: Argument {
            switch self {
            case .count, .bytes, .duration: self
            case .code(let text) where Int(text) != nil || ["JPEG", "PNG"].contains(text): self
            default: .code("…")
            }
        }

        var withoutPersonalValues: Argument {
            switch self {
            case .personal: .code("<redacted>")
            case .list(let values): .list(values.map(\.withoutPersonalValues))
            case .message(let message): .message(message.withoutPersonalValues)
            case .code, .count, .bytes, .duration, .date, .errno: self
            }
        }
    }
}

// The keys are written out because messages are stored: a renamed case must not make old messages unreadable.
extension Message.Argument: Codable {
    private enum CodingKeys: String, CodingKey {
        case code = "text"
        case personal = "personal"
        case count = "count"
        case bytes = "bytes"
        case duration = "duration"
        case date = "date"
        case errno = "errno"
        case list = "list"
        case message = "message"
    }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        func value<Value: Decodable>(_ key: CodingKeys) throws -> Value { try values.decode(Value.self, forKey: key) }
        switch values.allKeys.first {
        case .code: self = .code(try value(.code))
        case .personal: self = .personal(try value(.personal))
        case .count: self = .count(try value(.count))
        case .bytes: self = .bytes(try value(.bytes))
        case .duration: self = .duration(.milliseconds(try value(.duration) as Int64))
        case .date: self = .date(try value(.date))
        case .errno: self = .errno(try value(.errno))
        case .list: self = .list(try value(.list))
        case .message: self = .message(try value(.message))
        // From a later version: an unknown argument must not make a card unreadable.
        case nil: self = .code("…")
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .code(let value): try container.encode(value, forKey: .code)
        case .personal(let value): try container.encode(value, forKey: .personal)
        case .count(let value): try container.encode(value, forKey: .count)
        case .bytes(let value): try container.encode(value, forKey: .bytes)
        case .duration(let value): try container.encode(value.wholeMilliseconds, forKey: .duration)
        case .date(let value): try container.encode(value, forKey: .date)
        case .errno(let value): try container.encode(value, forKey: .errno)
        case .list(let values): try container.encode(values, forKey: .list)
        case .message(let value): try container.encode(value, forKey: .message)
        }
    }
}
