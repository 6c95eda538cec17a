/// The line breaks of names and text values.
enum LineBreaks {
    /// Replaces every lone CR and every lone LF by CR LF (WHATWG HTML, "constructing the entry list").
    static func normalized(_ bytes: some Sequence<UInt8>) -> [UInt8] {
        var result: [UInt8] = []
        var isAfterReturn = false
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "\r"):
                result += [byte, UInt8(ascii: "\n")]
            case UInt8(ascii: "\n"):
                if !isAfterReturn { result += [UInt8(ascii: "\r"), byte] }
            default:
                result.append(byte)
            }
            isAfterReturn = byte == UInt8(ascii: "\r")
        }
        return result
    }
}
