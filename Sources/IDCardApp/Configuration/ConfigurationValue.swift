package import IDCardCore

/// A configuration value after parsing, in the type its key asks for.
package enum ConfigurationValue: Hashable, Sendable {
    /// Text, a path or a word of a closed set.
    case text(String)
    /// A secret; it does not print itself.
    case secret(Redacted<String>)
    /// An address, with whatever its query holds.
    case url(EndpointURL)
    /// Yes or no.
    case boolean(Bool)
    /// A whole number.
    case integer(Int)
    /// A number with a fraction.
    case number(Double)
    /// A number of bytes.
    case byteCount(Int)
    /// A length of time.
    case duration(Duration)
    /// Several texts, in order.
    case list([String])
}

extension ConfigurationValue: CustomStringConvertible {
    /// The value as `config show` prints it: `<set>` for a secret, without the query of an address.
    package var description: String {
        switch self {
        case .text(let text): text
        case .secret: "<set>"
        case .url(let url): url.description
        case .boolean(let isTrue): "\(isTrue)"
        case .integer(let number): "\(number)"
        case .number(let number): Int(exactly: number).map { "\($0)" } ?? "\(number)"
        case .byteCount(let bytes): ByteCountText.render(bytes)
        case .duration(let duration): DurationText.render(duration)
        case .list(let items): items.joined(separator: ", ")
        }
    }
}
