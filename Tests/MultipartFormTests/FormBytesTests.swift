import Foundation
import MultipartForm
import Testing

@Suite struct FormBytesTests {
    private func form(_ parts: [MultipartForm.Part], boundary: String = "XbndX") throws -> MultipartForm {
        try MultipartForm(parts: parts, boundary: Boundary(boundary))
    }

    @Test func `The bytes of a form without parts are the closing line alone: 11 bytes for a boundary of 5`() throws {
        let form = try self.form([])
        #expect(form.contentLength == 11)
        #expect(allBytes(of: form) == Data("--XbndX--\r\n".utf8))
        #expect(form.contentType == "multipart/form-data; boundary=XbndX")
    }

    @Test func `The bytes of a form are 125 for one file of 11 bytes with a boundary of 5`() throws {
        let form = try self.form([plainFile(Data("DATA\u{0}..\r\nen".utf8))])
        #expect(form.contentLength == 125)
        let expected =
            "--XbndX\r\nContent-Disposition: form-data; name=\"f\"; filename=\"plain.jpg\"\r\n"
            + "Content-Type: image/jpeg\r\n\r\nDATA\u{0}..\r\nen\r\n--XbndX--\r\n"
        #expect(allBytes(of: form) == Data(expected.utf8))
    }

    @Test func `The bytes of a form are 185 for a file of 1 byte and a boundary of 40, as in curl 7.88.1`() throws {
        let boundary = "------------------------" + "abcdefghij012345"
        let form = try self.form([plainFile(Data("x".utf8))], boundary: boundary)
        #expect(form.contentLength == 185)
        #expect(allBytes(of: form).count == 185)
    }

    @Test
    func `a form has the bytes of node 20 for hostile names: 211 with a boundary of 5, 292 with 32`() throws {
        let form = try self.form(escapingVectorParts())
        let expected =
            "--XbndX\r\nContent-Disposition: form-data; name=\"a%0D%0Ab%22c\\d%22\"\r\n\r\nv\r\n1\r\n2\r\n"
            + "--XbndX\r\nContent-Disposition: form-data; name=\"文\"; filename=\"b%0Ac%22d\\e 护照.jpg\"\r\n"
            + "Content-Type: image/jpeg\r\n\r\nDATA\r\n--XbndX--\r\n"
        #expect(allBytes(of: form) == Data(expected.utf8))
        #expect(form.contentLength == 211)
        let longer = try self.form(escapingVectorParts(), boundary: String(repeating: "b", count: 32))
        #expect(longer.contentLength == 292)
        #expect(allBytes(of: longer).count == 292)
    }

    @Test(arguments: [
        ("a\"b", "a%22b", "a%22b" as String?), ("a\nb", "a%0D%0Ab", "a%0Ab"), ("a\rb", "a%0D%0Ab", "a%0Db"),
        ("a\r\nb", "a%0D%0Ab", "a%0D%0Ab"), ("\n\r", "%0D%0A%0D%0A", "%0A%0D"), ("a\\b", "a\\b", "a\\b"),
        ("%22", "%22", "%22"), ("%", "%", "%"), ("护照", "护照", "护照"), ("é😀", "é😀", "é😀"),
        ("a;b=c", "a;b=c", "a;b=c"), ("\t \u{7F}", "\t \u{7F}", "\t \u{7F}"),
        ("x\"\r\nContent-Type: text/html\r\n\r\n", "x%22%0D%0AContent-Type: text/html%0D%0A%0D%0A", nil),
        (
            "a\"; filename*=UTF-8''x\r\nX-Injected: 1\r\n\r\n",
            "a%22; filename*=UTF-8''x%0D%0AX-Injected: 1%0D%0A%0D%0A",
            "a%22; filename*=UTF-8''x%0D%0AX-Injected: 1%0D%0A%0D%0A"
        ),
        ("C:\\dir\\file.jpg", "C:\\dir\\file.jpg", "C:\\dir\\file.jpg"), ("../../a.jpg", "../../a.jpg", "a.jpg"),
        ("/etc/x", "/etc/x", "x"),
    ]) func `The bytes of a form escape LF, CR and quotes in names and nothing else`(
        text: String,
        name: String,
        filename: String?
    ) throws {
        let part = MultipartForm.Part.file(Data(), name: text, filename: "ok", contentType: "a/b")
        let named = try allBytes(of: self.form([part]))
        let expected = "form-data; name=\"\(name)\"; filename=\"ok\"\r\n"
        #expect(named.range(of: Data(expected.utf8)) != nil)
        guard let filename else { return }
        let file = MultipartForm.Part.file(Data(), name: "n", filename: text, contentType: "a/b")
        let bytes = try allBytes(of: self.form([file]))
        #expect(bytes.range(of: Data("; filename=\"\(filename)\"\r\nContent-Type: a/b\r\n\r\n".utf8)) != nil)
    }

    @Test(arguments: ["", "a\u{0}b"])
    func `a form refuses an empty name, one with NUL, and a file name without a last component`(name: String) throws {
        let boundary = try Boundary("b")
        let named: [MultipartForm.Part] = [
            .text("v", name: name), .file(Data(), name: name, filename: "f", contentType: "a/b"),
            .file(Data(), name: "n", filename: name, contentType: "a/b"),
            .file(Data(), name: "n", filename: "dir/" + name, contentType: "a/b"),
        ]
        for part in named {
            #expect(try formErrorCode { _ = try MultipartForm(parts: [part], boundary: boundary) } == .invalidName)
        }
    }

    @Test(arguments: [
        "", "image", "image/", "/jpeg", "image/jpeg\r\nX: y", "image/jpeg\n", "a b/c", "image/jpeg\u{0}", "图/像",
        "image/jpeg x", "a/b/c", "a/b;\u{7F}",
    ]) func `a form refuses a content type that could carry another header or is no type`(type: String) throws {
        let part = MultipartForm.Part.file(Data(), name: "n", filename: "f", contentType: type)
        let boundary = try Boundary("b")
        #expect(try formErrorCode { _ = try MultipartForm(parts: [part], boundary: boundary) } == .invalidContentType)
    }

    @Test(arguments: ["image/jpeg", "application/octet-stream", "text/plain; charset=utf-8", "image/svg+xml"])
    func `The bytes of a form carry an ordinary content type unchanged`(type: String) throws {
        let part = MultipartForm.Part.file(Data(), name: "n", filename: "f", contentType: type)
        let bytes = try allBytes(of: self.form([part]))
        #expect(bytes.range(of: Data("\r\nContent-Type: \(type)\r\n\r\n".utf8)) != nil)
    }

    @Test func `The bytes of a form of a text value have CR LF for every line break`() throws {
        let part = MultipartForm.Part.text("\r\n\n\r\r\n", name: "n")
        #expect(part.content.count == 8)
        let bytes = try allBytes(of: self.form([part]))
        #expect(bytes.range(of: Data("\r\n\r\n\r\n\r\n\r\n\r\n\r\n--XbndX--".utf8)) != nil)
    }

    @Test func `The bytes of a form are not shown by descriptions, debug output or dumps`() throws {
        let parts: [MultipartForm.Part] = [
            .text("secret-value", name: "secret-name"),
            .file(Data("secret-bytes".utf8), name: "n", filename: "secret-file", contentType: "a/b"),
        ]
        let form = try MultipartForm(parts: parts, boundary: Boundary("secret-boundary"))
        var dumped = ""
        dump(form, to: &dumped)
        dump(parts, to: &dumped)
        for text in ["\(form)", "\(parts)", String(reflecting: form), dumped] {
            #expect(!text.contains("secret"))
        }
    }
}
