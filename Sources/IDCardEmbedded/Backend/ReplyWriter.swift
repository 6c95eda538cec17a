import FoundationEssentials
import Hummingbird

/// Writes business answers in the configured format, encrypted if that is configured.
struct ReplyWriter: Sendable {
    private let format: EmbeddedBackend.ReplyFormat
    private let sealer: ReplySealer?

    /// Takes format and encryption of a configuration.
    ///
    /// - Throws: ``EmbeddedError`` `encryptionUnusable`.
    init(_ configuration: EmbeddedBackend.Configuration) throws(EmbeddedError) {
        self.format = configuration.replyFormat
        if let encryption = configuration.replyEncryption {
            self.sealer = try ReplySealer(encryption)
        } else {
            self.sealer = nil
        }
    }

    /// The response with an answer.
    ///
    /// - Throws: ``EmbeddedError`` `encryptionUnusable`, or an encoder's error.
    func response(to answer: UploadAnswer) throws -> Response {
        guard let sealer = self.sealer else {
            switch self.format {
            case .json: return try JSONReply.response(answer)
            case .xml: return Self.response(Array(Self.xml(answer).utf8), contentType: "application/xml")
            }
        }
        switch self.format {
        case .json:
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
            return try JSONReply.response(try sealer.sealed(Array(encoder.encode(answer))))
        case .xml:
            let text = try sealer.sealed(Array(Self.xml(answer).utf8))
            return Self.response(Array(text.utf8), contentType: "text/plain")
        }
    }

    private static func response(_ body: [UInt8], contentType: String) -> Response {
        Response(
            status: .ok,
            headers: [.contentType: contentType, .contentLength: "\(body.count)"],
            body: .init(byteBuffer: ByteBuffer(bytes: body))
        )
    }

    private static func xml(_ answer: UploadAnswer) -> String {
        func fields(_ code: String, _ message: String) -> String {
            "<RETCODE>\(self.escaped(code))</RETCODE><RETMSG>\(self.escaped(message))</RETMSG>"
        }
        let items = answer.items.map { items in
            "<ITEMS>" + items.map { "<ITEM>\(fields($0.code, $0.message))</ITEM>" }.joined() + "</ITEMS>"
        }
        return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
            + "<RESPONSE>\(fields(answer.code, answer.message))\(items ?? "")</RESPONSE>\n"
    }

    private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
    }
}
