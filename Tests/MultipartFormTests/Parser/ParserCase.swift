import Foundation
import MultipartForm
import Testing

/// A body and what the parser makes of it.
struct ParserCase: CustomTestStringConvertible {
    struct Part: Hashable {
        let name: String
        let filename: String?
        let type: String?
        let content: Data

        init(_ name: String, _ filename: String? = nil, _ type: String? = nil, _ content: Data) {
            (self.name, self.filename, self.type, self.content) = (name, filename, type, content)
        }

        static func text(_ name: String, _ value: String) -> Part { Part(name, nil, nil, Data(value.utf8)) }
    }

    enum Expectation {
        case parts([Part])
        case refused(MultipartFormError.Code)
    }

    let title: String
    let contentType: String
    let body: Data
    let expectation: Expectation

    var testDescription: String { self.title }

    /// A body in which each character up to U+00FF is one byte, except that text past it is UTF-8.
    init(
        _ title: String,
        contentType: String = "multipart/form-data; boundary=XbndX",
        _ body: String,
        _ expectation: Expectation
    ) {
        self.init(title, contentType: contentType, data: Data(body.utf8), expectation)
    }

    init(
        _ title: String,
        contentType: String = "multipart/form-data; boundary=XbndX",
        data: Data,
        _ expectation: Expectation
    ) {
        (self.title, self.contentType, self.body, self.expectation) = (title, contentType, data, expectation)
    }

    /// Feeds the body in chunks and compares.
    func check(chunks: Chunks = Chunks(seed: nil), _ comment: @autoclosure () -> String = "") throws {
        let outcome = try Outcome(self.body, contentType: self.contentType, chunks: chunks)
        let comment = comment()
        switch self.expectation {
        case .parts(let parts):
            let found = outcome.parts.map { Part($0.head.name, $0.head.filename, $0.head.contentType, $0.content) }
            #expect(outcome.code == nil, "\(self.title) \(comment)")
            #expect(found == parts, "\(self.title) \(comment)")
        case .refused(let code):
            #expect(outcome.code == code, "\(self.title) \(comment)")
        }
    }
}

extension ParserCase {
    static let content = Data("DATA\u{0}".utf8) + Data([0xFF]) + Data("\r\nend".utf8)
    static let plainPart = Part("f", "plain.jpg", "image/jpeg", content)
    static let plainDisposition = "Content-Disposition: form-data; name=\"f\"; filename=\"plain.jpg\""

    /// The base body of the comparison: one part, in which a piece is replaced.
    static func base(
        disposition: String = plainDisposition,
        more: String = "Content-Type: image/jpeg\r\n",
        content: Data = content,
        before: String = "",
        open: String = "--XbndX\r\n",
        close: String = "\r\n--XbndX--\r\n"
    ) -> Data {
        Data("\(before)\(open)\(disposition)\r\n\(more)\r\n".utf8) + content + Data(close.utf8)
    }

    static func refused(_ title: String, _ code: MultipartFormError.Code, _ data: Data) -> ParserCase {
        ParserCase(title, data: data, .refused(code))
    }

    static func refused(_ title: String, _ code: MultipartFormError.Code, _ body: String) -> ParserCase {
        ParserCase(title, body, .refused(code))
    }

    /// The base body as it is, whatever surrounds it.
    static func plain(_ title: String, _ data: Data) -> ParserCase {
        ParserCase(title, data: data, .parts([plainPart]))
    }

    /// The base body with another `Content-Disposition`, and the names that come of it.
    static func disposition(
        _ title: String,
        _ disposition: String,
        name: String = "f",
        filename: String?
    ) -> ParserCase {
        ParserCase(
            title,
            data: self.base(disposition: "Content-Disposition: form-data; \(disposition)"),
            .parts([Part(name, filename, "image/jpeg", self.content)])
        )
    }
}
