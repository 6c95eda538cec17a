import FoundationEssentials
import MultipartForm

/// A complete received `multipart/form-data` body.
struct ReceivedForm: Sendable {
    /// One part, in the order received.
    struct Part: Sendable {
        let name: String
        /// The parameter `filename`: `nil` for text; may be empty. Never use it as a path.
        var filename: String?
        /// The part's content type as sent; `nil` when there was none.
        var contentType: String?
        var body: Data

        /// The bytes as text; `nil` when they are not UTF-8.
        var text: String? { String(validating: self.body, as: UTF8.self) }
    }

    /// The parts; equal names stay separate.
    let parts: [Part]

    /// - Throws: `MultipartFormError`; its messages give positions, never names or values.
    init(parsing body: Data, contentType: String?) throws(MultipartFormError) {
        var limits = MultipartParser.Limits()
        limits.partCount = Limits.parts
        var parser = try MultipartParser(contentType: contentType ?? "", limits: limits)
        parser.append(body)
        parser.finish()
        var parts: [Part] = []
        while let event = try parser.next() {
            switch event {
            case .partBegan(let head):
                parts.append(
                    Part(name: head.name, filename: head.filename, contentType: head.contentType, body: Data())
                )
            case .data(let bytes): parts[parts.count - 1].body.append(bytes)
            case .partEnded, .formEnded: break
            }
        }
        self.parts = parts
    }
}
