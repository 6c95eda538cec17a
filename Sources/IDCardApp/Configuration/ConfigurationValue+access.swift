package import IDCardCore

extension ConfigurationValue {
    /// The text, if it is one.
    package var text: String? {
        if case .text(let text) = self { text } else { nil }
    }

    /// The secret, if it is one.
    package var secret: Redacted<String>? {
        if case .secret(let secret) = self { secret } else { nil }
    }

    /// The address, if it is one.
    package var url: EndpointURL? {
        if case .url(let url) = self { url } else { nil }
    }

    /// Yes or no, if it is that.
    package var boolean: Bool? {
        if case .boolean(let isTrue) = self { isTrue } else { nil }
    }

    /// The whole number or number of bytes, if it is one.
    package var integer: Int? {
        switch self {
        case .integer(let number), .byteCount(let number): number
        default: nil
        }
    }

    /// The number, if it is one.
    package var number: Double? {
        if case .number(let number) = self { number } else { nil }
    }

    /// The duration, if it is one.
    package var duration: Duration? {
        if case .duration(let duration) = self { duration } else { nil }
    }

    /// The list, if it is one.
    package var list: [String]? {
        if case .list(let items) = self { items } else { nil }
    }
}
