import OutboundHTTP

/// The service's own name for a call, such as `1457432550,b70ab3a8-…`, which its support asks for.
///
/// It is stored and shown in clear, so whatever else a reply has in its place is not taken for one.
struct RequestID {
    /// The name.
    let text: String

    /// Reads `<seconds>,<uuid>`, or any other 1 to 100 letters, digits and `,-_.:`; `nil` for anything else.
    init?(_ value: JSONValue?) {
        guard let text = value?.text, (1...100).contains(text.utf8.count) else { return nil }
        let isPlain = text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"): true
            case UInt8(ascii: "A")...UInt8(ascii: "Z"): true
            default: ",-_.:".utf8.contains(byte)
            }
        }
        guard isPlain else { return nil }
        self.text = text
    }
}
