import FoundationEssentials
import Hummingbird

/// Writes business answers in the configured format, encrypted if that is configured.
struct ReplyWriter: Sendable {
    private let format: EmbeddedBackend.ReplyFormat
    private let encryption: EmbeddedBackend.ReplyEncryption?

    /// Takes format and encryption of a configuration.
    ///
    /// - Throws: ``EmbeddedError`` `encryptionUnusable`.
    init(_ configuration: EmbeddedBackend.Configuration) throws(EmbeddedError) {
        self.format = configuration.replyFormat
        self.encryption = configuration.replyEncryption
        // So that what cannot be used is known before the first reply.
        _ = try self.encryption?.sealed([])
    }

    /// The response with an answer.
    ///
    /// - Throws: ``EmbeddedError`` `encryptionUnusable`, or an encoder's error.
    func response(to answer: UploadAnswer) throws -> Response {
        switch self.format {
        case .json:
            guard let encryption = self.encryption else { return try Response(.ok, json: answer.json) }
            return try Response(.ok, json: .text(try encryption.sealed(Array(try answer.json.bytes()))))
        case .xml:
            let text = Self.xml(answer)
            guard let encryption = self.encryption else { return Response(.ok, "application/xml", text.utf8) }
            return Response(.ok, "text/plain", try encryption.sealed(Array(text.utf8)).utf8)
        }
    }

    private static func xml(_ answer: UploadAnswer) -> String {
        func fields(_ answer: UploadAnswer) -> String {
            let message = answer.message.replacing("&", with: "&amp;").replacing("<", with: "&lt;")
            return "<RETCODE>\(answer.code.rawValue)</RETCODE><RETMSG>\(message)</RETMSG>"
        }
        let items = answer.items.map { "<ITEMS>\($0.map { "<ITEM>\(fields($0))</ITEM>" }.joined())</ITEMS>" } ?? ""
        return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<RESPONSE>\(fields(answer))\(items)</RESPONSE>\n"
    }
}
