import IDCardEmbedded
import IDCardTesting
import Testing

@Suite("A received form")
struct ReceivedFormTests {
    private static let head =
        "Content-Disposition: form-data; name=\"f\"; filename=\"plain.jpg\"\r\nContent-Type: image/jpeg\r\n"
    private static let type = "multipart/form-data; boundary=XbndX"

    private static func one(_ headers: String = head, _ body: String = "DATA\u{0}\r\nend") -> String {
        "--XbndX\r\n\(headers)\r\n\(body)\r\n--XbndX--\r\n"
    }

    private static func named(_ disposition: String) -> String {
        self.one("Content-Disposition: \(disposition)\r\n")
    }

    private func parse(
        _ body: String,
        type: String? = type,
        length: String? = nil,
        limits: ReceivedForm.Limits = .init()
    ) throws -> ReceivedForm {
        try ReceivedForm(parsing: Array(body.utf8), contentType: type, contentLength: length, limits: limits)
    }

    private func code(_ body: () throws -> Void) throws -> EmbeddedError.Code? {
        do {
            try body()
            return nil
        } catch let error as EmbeddedError {
            return error.code
        }
    }

    @Test("yields names, file names, types and exact bytes in order")
    func plain() throws {
        let text = "Content-Disposition: form-data; name=\"t\"\r\n"
        let body = "--XbndX\r\n\(text)\r\n值\r\n--XbndX\r\n\(Self.head)\r\nDATA\u{0}\r\nend\r\n--XbndX--\r\n"
        let parts = try self.parse(body).parts
        #expect(parts.map(\.name) == ["t", "f"])
        #expect(parts.map(\.filename) == [nil, "plain.jpg"])
        #expect(parts.map(\.contentType) == [nil, "image/jpeg"])
        #expect(parts.map(\.text) == ["值", "DATA\u{0}\r\nend"])
    }

    /// Bodies that must be read although they are unusual, with the body of their first part; `nil` for no part.
    static let accepted: [(String, String, String?)] = [
        ("preamble", "a preamble\r\n" + one(), "DATA\u{0}\r\nend"),
        ("leading CRLF", "\r\n" + one(), "DATA\u{0}\r\nend"),
        ("epilogue", one() + "an epilogue\r\n--XbndX\r\n", "DATA\u{0}\r\nend"),
        ("blanks after boundaries", padded, "DATA\u{0}\r\nend"),
        ("no final CRLF", String(one().dropLast()), "DATA\u{0}\r\nend"),
        ("any header case", one("CONTENT-disposition: Form-Data; NAME=\"f\"\r\n"), "DATA\u{0}\r\nend"),
        ("unquoted values", named("form-data; name=f; filename=plain.jpg"), "DATA\u{0}\r\nend"),
        ("no blanks", one("Content-Disposition:form-data;name=f\r\n"), "DATA\u{0}\r\nend"),
        ("empty file", one(head, ""), ""), ("only line breaks", one(head, "\r\n\r\n\r\n"), "\r\n\r\n\r\n"),
        ("CR at the end", one(head, "DATA\r"), "DATA\r"),
        ("near boundaries", one(head, nearBoundaries), nearBoundaries),
        ("other headers", one(head + "X-Other: 1\r\nContent-Transfer-Encoding: binary\r\n"), "DATA\u{0}\r\nend"),
        ("no parts", "--XbndX--\r\n", nil),
    ]
    private static let padded = one().replacing("XbndX\r\n", with: "XbndX \t \r\n").replacing(
        "--\r\n",
        with: "-- \t\r\n"
    )
    private static let nearBoundaries = "x--XbndX\r\n--Xbnd\r\n-\r\n--\r\n\r--XbndX\n--XbndX"

    @Test("is read although it is unusual", arguments: accepted)
    func mustAccept(what: String, body: String, expected: String?) throws {
        #expect(try self.parse(body).parts.first?.text == expected)
    }

    /// Content-Disposition values with the name and file name they mean.
    static let dispositions: [(String, String, String?)] = [
        ("form-data; name=\"a\"; filename=\"\"", "a", ""), ("form-data; name=\"\"", "", nil),
        ("form-data; name=\"q\\\"q\"; filename=\"a\\\"b.jpg\"", "q\"q", "a\"b.jpg"),
        ("form-data; name=\"a;b=c\"; filename=\"x; y=z.jpg\"", "a;b=c", "x; y=z.jpg"),
        ("form-data; name=\"a\"; filename=\"back\\slash.jpg\"", "a", "back\\slash.jpg"),
        ("form-data; name=\"a\"; filename=\"back\\\\slash.jpg\"", "a", "back\\slash.jpg"),
        ("form-data; name=\"a\"; filename=\"C:\\dir\\file.jpg\"", "a", "C:\\dir\\file.jpg"),
        ("form-data; name=\"a\"; filename=\"q%22uote%0D%0A.jpg\"", "a", "q%22uote%0D%0A.jpg"),
        ("form-data; name=\"文\"; filename=\"护照.jpg\"", "文", "护照.jpg"),
        ("form-data; name=\"a\"; filename*=UTF-8''evil.jpg", "a", nil),
        ("form-data; name=\"a\"; filename=\"good.jpg\"; filename*=UTF-8''evil.jpg", "a", "good.jpg"),
        ("form-data; filename=\"b\"; name=\"a\"", "a", "b"), ("form-data ; name=a ; filename=b ", "a", "b"),
    ]

    @Test("has the names its disposition means", arguments: dispositions)
    func names(disposition: String, name: String, filename: String?) throws {
        let part = try #require(try self.parse(Self.named(disposition)).parts.first)
        #expect(part.name == name)
        #expect(part.filename == filename)
    }

    @Test("keeps repeated names as separate parts")
    func repeatedNames() throws {
        let part = "--XbndX\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n"
        let parts = try self.parse("\(part)1\r\n\(part)2\r\n--XbndX--\r\n").parts
        #expect(parts.map(\.name) == ["a", "a"])
        #expect(parts.map(\.text) == ["1", "2"])
    }

    static let rejected: [(String, String)] = [
        ("0 bytes", ""), ("no closing boundary", String(one().dropLast(4)) + "\r\n"),
        ("LF framing", one().replacing("\r\n", with: "\n")),
        ("other boundary", one().replacing("XbndX", with: "other")), ("only text", "hello"),
        ("longer boundary in content", one(head, "DATA\r\n--XbndXtra line")),
        ("text after the closing boundary", one().replacing("--XbndX--\r\n", with: "--XbndX--x\r\n")),
        ("no blank line", "--XbndX\r\nContent-Disposition: form-data; name=\"a\"\r\n--XbndX--\r\n"),
        ("empty part", "--XbndX\r\n\r\n--XbndX--\r\n"),
        ("boundary twice", "--XbndX\r\n--XbndX\r\n\(head)\r\nx\r\n--XbndX--\r\n"),
        ("no disposition", one("Content-Type: image/jpeg\r\n")), ("no headers", one("")),
        ("no name", named("form-data")),
        ("only a file name", named("form-data; filename=\"a\"")), ("attachment", named("attachment; name=\"a\"")),
        ("two names", named("form-data; name=\"a\"; name=\"b\"")),
        ("two names in two cases", named("form-data; name=a; NAME=b")),
        ("two file names", named("form-data; name=\"a\"; filename=\"b\"; filename=\"c\"")),
        ("NUL in a name", named("form-data; name=\"a\u{0}b\"")), ("LF in a name", named("form-data; name=\"a\nb\"")),
        ("CR in a name", named("form-data; name=\"a\rb\"")), ("CRLF in a name", named("form-data; name=\"a\r\nb\"")),
        ("open quote", named("form-data; name=\"a")), ("escaped closing quote", named("form-data; name=\"a\\\"")),
        ("text after a quote", named("form-data; name=\"a\"b")),
        ("parameter without a value", named("form-data; name=")),
        ("trailing semicolon", named("form-data; name=\"a\";")), ("no disposition type", named("; name=\"a\"")),
        (
            "two dispositions",
            one("Content-Disposition: form-data; name=a\r\nContent-Disposition: form-data; name=b\r\n")
        ),
        ("folded header", one("Content-Disposition: form-data;\r\n name=\"a\"\r\n")),
        ("header without a colon", one("Content-Disposition: form-data; name=a\r\nnonsense\r\n")),
        ("blank before the colon", one("Content-Disposition : form-data; name=a\r\n")),
        ("base64", one(head + "Content-Transfer-Encoding: base64\r\n")),
        ("quoted-printable", one(head + "Content-Transfer-Encoding: Quoted-Printable\r\n")),
    ]

    @Test("is an error, never a form with fewer parts", arguments: rejected)
    func mustReject(what: String, body: String) throws {
        #expect(try self.code { _ = try self.parse(body) } == .formMalformed)
    }

    @Test("is an error wherever it is cut")
    func everyCut() throws {
        let text = "Content-Disposition: form-data; name=\"t\"\r\n"
        let whole = Array("--XbndX\r\n\(text)\r\nvalue\r\n--XbndX\r\n\(Self.head)\r\nDATA\r\n--XbndX--\r\n".utf8)
        for length in 0..<(whole.count - 2) {
            let error = #expect(throws: EmbeddedError.self, "cut after \(length) bytes") {
                _ = try ReceivedForm(parsing: Array(whole[..<length]), contentType: Self.type)
            }
            #expect(error?.code == .formMalformed)
        }
        #expect(try ReceivedForm(parsing: Array(whole.dropLast(2)), contentType: Self.type).parts.count == 2)
    }

    @Test("is an error when a name is not UTF-8")
    func invalidUTF8() throws {
        let body =
            Array("--XbndX\r\nContent-Disposition: form-data; name=\"".utf8) + [0xFF]
            + Array("\"\r\n\r\nx\r\n--XbndX--\r\n".utf8)
        #expect(try self.code { _ = try ReceivedForm(parsing: body, contentType: Self.type) } == .formMalformed)
    }

    @Test("keeps a body that is not UTF-8, which is no text")
    func binaryBody() throws {
        let body =
            Array("--XbndX\r\n\(Self.head)\r\n".utf8) + [0xFF, 0xD8, 0x00, 0x0D] + Array("\r\n--XbndX--\r\n".utf8)
        let part = try #require(try ReceivedForm(parsing: body, contentType: Self.type).parts.first)
        #expect(part.body == [0xFF, 0xD8, 0x00, 0x0D])
        #expect(part.text == nil)
    }

    static let boundaries: [(String?, Bool)] = [
        ("multipart/form-data; boundary=XbndX", true), ("Multipart/Form-Data; charset=utf-8; BOUNDARY=\"XbndX\"", true),
        ("multipart/form-data;boundary=XbndX", true), (nil, false), ("", false), ("multipart/form-data", false),
        ("multipart/mixed; boundary=XbndX", false), ("text/plain; boundary=XbndX", false),
        ("multipart/form-data; boundary=", false), ("multipart/form-data; boundary=\"\"", false),
        ("multipart/form-data; boundary=XbndX; boundary=XbndX", false),
        ("multipart/form-data; boundary=\"XbndX", false),
        ("multipart/form-data; boundary=\"XbndX \"", false), ("multipart/form-data; boundary=\"Xbnd;X\"", false),
        ("multipart/form-data; boundary=界", false), ("multipart/form-data; boundary=\"Xb\r\nX\"", false),
    ]

    @Test("takes its boundary from the header", arguments: boundaries)
    func header(type: String?, isGood: Bool) throws {
        #expect(try self.code { _ = try self.parse(Self.one(), type: type) } == (isGood ? nil : .formMalformed))
    }

    @Test("takes a boundary of 70 odd characters in quotes and none of 71")
    func longBoundary() throws {
        let longest = "(a')+_,-./:=?" + String(repeating: "Z", count: 57)
        let body = Self.one().replacing("XbndX", with: longest)
        #expect(try self.parse(body, type: "multipart/form-data; boundary=\"\(longest)\"").parts.count == 1)
        let longer = Self.one().replacing("XbndX", with: longest + "Z")
        let type = "multipart/form-data; boundary=\"\(longest)Z\""
        #expect(try self.code { _ = try self.parse(longer, type: type) } == .formMalformed)
    }

    @Test(
        "has the declared length",
        arguments: [("exact", true), ("-5", false), ("0", false), ("1e2", false), ("", false)]
    )
    func declaredLength(length: String, isGood: Bool) throws {
        let body = Self.one()
        let declared = length == "exact" ? "\(body.utf8.count)" : length
        #expect(try self.code { _ = try self.parse(body, length: declared) } == (isGood ? nil : .formMalformed))
        #expect(try self.code { _ = try self.parse(body, length: "\(body.utf8.count + 1)") } == .formMalformed)
    }

    @Test("is too large over each limit and read at it")
    func limits() throws {
        let body = Self.one(Self.head, "12345")
        func check(_ change: (inout ReceivedForm.Limits, Int) -> Void, most: Int, _ text: String) throws {
            var limits = ReceivedForm.Limits()
            change(&limits, most)
            #expect(try self.code { _ = try self.parse(text, limits: limits) } == nil, "at \(most)")
            change(&limits, most - 1)
            #expect(try self.code { _ = try self.parse(text, limits: limits) } == .formTooLarge, "at \(most - 1)")
        }
        try check({ $0.bodyBytes = $1 }, most: body.utf8.count, body)
        try check({ $0.partBytes = $1 }, most: 5, body)
        try check(
            { $0.headerBytes = $1 },
            most: Self.head.utf8.count,
            Self.one(Self.head, String(repeating: "x", count: 999))
        )
        try check({ $0.headers = $1 }, most: 2, body)
        try check({ $0.surroundBytes = $1 }, most: 8, "preamble\r\n" + body)
        try check({ $0.surroundBytes = $1 }, most: 8, body + "epilogue")
        let part = "--XbndX\r\n\(Self.head)\r\nx\r\n"
        try check({ $0.parts = $1 }, most: 3, part + part + part + "--XbndX--\r\n")
    }

    @Test("full of line breaks or near boundaries is read in one pass", .timeLimit(.minutes(Sanitizer.minutes(1))))
    func denseContent() throws {
        var limits = ReceivedForm.Limits()
        limits.bodyBytes = 1 << 22
        for unit in ["\r\n", "\r", "\r\n--Xbnd", "\r\n--XbndY\r"] {
            let content = String(repeating: unit, count: 200_000)
            let part = try #require(try self.parse(Self.one(Self.head, content), limits: limits).parts.first)
            #expect(part.body.count == content.utf8.count)
        }
    }

    @Test("never shows a name or value in an error")
    func errorsAreQuiet() throws {
        for (_, body) in Self.rejected {
            let error = #expect(throws: EmbeddedError.self) {
                _ = try self.parse(body.replacing("name=", with: "secret=").replacing("NAME=", with: "SECRET="))
            }
            #expect(error.map { !"\($0)".lowercased().contains("secret") && !$0.message.isEmpty } == true)
        }
    }
}
