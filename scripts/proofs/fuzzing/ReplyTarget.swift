import CardModel

/// What libFuzzer calls with every input: the bytes as an answer of the verifier in each dialect, and of the backend.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    if let value = JSONValue(parsing: bytes) {
        let dialects: [any DialectReply.Type] = [FaceIDv1Reply.self, FaceIDv3Reply.self, Faceppv1Reply.self]
        for dialect in dialects where dialect.recognises(value) || dialect.isNoCard(value) {
            _ = dialect.reading(value)
        }
    }
    // What is no UTF-8 is refused before it comes to the documents.
    guard String(validating: bytes, as: UTF8.self) != nil else { return 0 }
    _ = ReplyDocument(json: bytes, names: ReplyNames())
    // As in `ReplyCodec`: the parser is not asked about what cannot be XML.
    if bytes.first == UInt8(ascii: "<") { _ = ReplyDocument(xml: bytes, names: ReplyNames()) }
    return 0
}

// The types below stand in for those whose files would bring the whole transport with them.

struct ReplyNames {
    let code = "RETCODE"
    let message = "RETMSG"
    let items = "ITEMS"
}

enum ReplyReading {
    static let errorKeys = ["error_message", "error"]
}
