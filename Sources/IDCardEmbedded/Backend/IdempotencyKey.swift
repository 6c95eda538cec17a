/// Reads the header `Idempotency-Key`: a Structured Field String (RFC 8941 section 3.3.3), the quotes are syntax.
enum IdempotencyKey {
    /// Characters a key has at most.
    static let maximumLength = 256

    /// The key without its quotes and escapes.
    ///
    /// - Parameter header: The header's value.
    /// - Returns: `nil` when the value is not a string in quotes, or is empty or too long.
    static func parse(_ header: String) -> String? {
        var bytes = Array(header.utf8)[...]
        while bytes.first == 0x20 { bytes.removeFirst() }
        while bytes.last == 0x20 { bytes.removeLast() }
        guard bytes.popFirst() == UInt8(ascii: "\"") else { return nil }
        var key: [UInt8] = []
        while let byte = bytes.popFirst() {
            switch byte {
            case UInt8(ascii: "\""):
                guard bytes.isEmpty, (1...self.maximumLength).contains(key.count) else { return nil }
                return String(decoding: key, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let next = bytes.popFirst(), next == UInt8(ascii: "\"") || next == UInt8(ascii: "\\") else {
                    return nil
                }
                key.append(next)
            case 0x20...0x7E:
                key.append(byte)
            default:
                return nil
            }
        }
        return nil
    }
}
