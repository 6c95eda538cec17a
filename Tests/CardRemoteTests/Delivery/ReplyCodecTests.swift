import CardModel
import Foundation
import Testing

@testable import CardRemote

/// Replies in the clear, and what is no reply.
@Suite struct ReplyCodecTests {
    private func reading(_ body: String) -> ReplyCodec.Reading {
        ReplyCodec().reading(of: HTTPReply(status: 200, body: Data(body.utf8)))
    }

    private func document(
        _ spellings: [String]?,
        _ message: String = "",
        items: ReplyDocument.Items = .absent
    ) -> ReplyCodec.Reading {
        let statement = spellings.map { ReplyDocument.Statement(spellings: $0, message: message) }
        return .document(ReplyDocument(statement: statement, items: items))
    }

    @Test(arguments: [
        #"{"RETCODE":"0","RETMSG":"好"}"#, " \r\n\t{\"RETMSG\":\"好\",\"RETCODE\":\" 0 \"} \n",
        "\u{FEFF}{\"RETCODE\":\"0\",\"RETMSG\":\"好\"}", "<r><RETCODE>0</RETCODE><RETMSG>好</RETMSG></r>",
        "\u{FEFF}\n<r><RETCODE>0</RETCODE><RETMSG>好</RETMSG></r>\n",
        // Encoded twice, as some servers of web services do.
        #""{\"RETCODE\":\"0\",\"RETMSG\":\"\u597d\"}""#, #""<r><RETCODE>0</RETCODE><RETMSG>好</RETMSG><\/r>""#,
        #"'{"RETCODE":"0","RETMSG":"好"}'"#,
    ])
    func `JSON objects and XML are told apart by their first character after blanks and byte order mark`(body: String) {
        #expect(self.reading(body) == self.document(["0"], "好"))
    }

    @Test(arguments: [
        ("\"000000\"", ["000000"]), ("0", ["0"]), ("17", ["17"]), ("-1", ["-1"]), ("0.0", ["0.0", "0"]),
        ("1e3", ["1e3"]), ("-0", ["-0"]), ("1e-400", ["1e-400"]), ("2.50", ["2.50"]), ("\"0.0\"", ["0.0"]),
        ("12345678901234567890123", ["12345678901234567890123"]), ("1e400", ["1e400"]), ("1e15", ["1e15"]),
        ("\" E-1\\n\"", ["E-1"]), ("true", ["true"]), ("false", ["false"]),
    ])
    func `a code is text or number; a number also counts as the whole number it is`(json: String, spellings: [String]) {
        #expect(self.reading("{\"RETCODE\":\(json)}") == self.document(spellings))
    }

    @Test(arguments: [
        "{}", #"{"RETCODE":""}"#, #"{"RETCODE":" "}"#, #"{"RETCODE":null}"#,
        #"{"RETCODE":["0"]}"#, #"{"RETCODE":{"RETCODE":"0"}}"#, #"{"retcode":"0"}"#, #"{"data":{"RETCODE":"0"}}"#,
        #"{"RETCODE":"0","RETCODE":"E1"}"#, #"{"RETCODE":"0","RETCODE":"0"}"#,
    ])
    func `An object without one certain code says nothing`(body: String) throws {
        guard case .document(let document) = self.reading(body) else { throw Absent() }
        #expect(document.statement == nil && document.items == .absent)
    }

    @Test(arguments: [("null", ""), ("true", ""), ("[]", ""), ("{}", ""), ("12", "12"), ("\"a\"", "a")])
    func `A text of another type is no text`(json: String, message: String) {
        #expect(self.reading("{\"RETCODE\":0,\"RETMSG\":\(json)}") == self.document(["0"], message))
    }

    @Test func `Entries are read in order, and one without a code stays in its place`() {
        let body = #"{"RETCODE":"E","ITEMS":[{"RETCODE":0},{"RETMSG":"?"},{"RETCODE":"1","RETMSG":"a"},7]}"#
        let items: [ReplyDocument.Statement?] = [
            .init(spellings: ["0"]), nil, .init(spellings: ["1"], message: "a"), nil,
        ]
        #expect(self.reading(body) == self.document(["E"], items: .listed(items)))
    }

    @Test(arguments: [
        ("null", ReplyDocument.Items.absent), ("[]", .listed([])), ("{}", .malformed), ("\"\"", .malformed),
        ("0", .malformed), ("[null]", .listed([nil])), ("[[]]", .listed([nil])), ("[],\"ITEMS\":[]", .malformed),
    ])
    func `What stands in ITEMS instead of a list is told apart`(json: String, items: ReplyDocument.Items) {
        #expect(self.reading("{\"RETCODE\":0,\"ITEMS\":\(json)}") == self.document(["0"], items: items))
    }

    @Test(arguments: [
        "", " ", "OK", "000000", "0", "success", "true", "null", "[]", #"[{"RETCODE":"0"}]"#, "{", "\"", "\"\"",
        #"{"RETCODE":"0""#, #"{"RETCODE":"0"} x"#, "<html>oops", "<!DOCTYPE html><html></html>", "RETCODE=0",
        #""000000""#, #"\{"RETCODE":"0"}"#,
    ])
    func `Anything else is no reply`(body: String) {
        #expect(self.reading(body) == .unknownFormat)
    }

    @Test func `Invalid UTF-8, and nesting a thousand deep, are no reply`() {
        let codec = ReplyCodec()
        let head = Array(#"{"RETCODE":"0","RETMSG":""#.utf8)
        #expect(
            codec.reading(of: HTTPReply(status: 200, body: Data(head + [0xC3, 0x28] + Array("\"}".utf8))))
                == .unreadable(.replyCharsetUnnamed)
        )
        #expect(codec.reading(of: HTTPReply(status: 200, body: Data([0xFF, 0xFE, 0x7B, 0x00]))) == .unknownFormat)
        let deep = String(repeating: "[", count: 1000) + String(repeating: "]", count: 1000)
        #expect(self.reading("{\"RETCODE\":\"0\",\"x\":\(deep)}") == .unknownFormat)
    }

    @Test(arguments: [#"{"RETCODE":"000000","RETMSG":"上传成功"}"#])
    func `Every cut of a reply is no success`(body: String) {
        let data = Data(body.utf8)
        for length in 0..<data.count {
            let reading = ReplyCodec().reading(of: HTTPReply(status: 200, body: data.prefix(length)))
            if case .document = reading { Issue.record("\(length) bytes of a reply are taken for one") }
        }
        #expect(ReplyCodec().reading(of: HTTPReply(status: 200, body: data)) == self.document(["000000"], "上传成功"))
    }

    @Test(arguments: [
        "veEbZtzaVZ9TPa9Oy96RouqyL6JgZYwc7iLQNJ1jMGki+yI6GzIhtO6mG/V4JN2K", "\"oj/fvaQz4JA=\"", "oj_fvaQz4JA",
    ])
    func `What may be 3DES says that no encryption is configured, and is no success`(body: String) {
        #expect(self.reading(body) == .encrypted)
    }
}

/// What was read is no document.
private struct Absent: Error {}

#if TripleDES
/// Replies hidden in Base64 and 3DES.
@Suite struct EncryptedReplyTests {
    private static let vector = ReplyCipherTests.vectors[4]
    static let (json, cbc, ecb) = (vector.plain, vector.cbc, vector.ecb)
    static let success = ReplyDocument(statement: .init(spellings: ["000000"], message: "上传成功"))

    private func codec(
        _ mode: ReplyEncryption.Mode = .cbc,
        key: String = TripleDESSealing.key,
        vector: String = "01234567"
    ) throws -> ReplyCodec {
        let encryption = ReplyCipherKeyTests.encryption(mode, key: key, vector: vector)
        return ReplyCodec(cipher: try ReplyCipher(encryption))
    }

    private func reading(_ body: String, by codec: ReplyCodec) -> ReplyCodec.Reading {
        codec.reading(of: HTTPReply(status: 200, body: Data(body.utf8)))
    }

    @Test(arguments: [
        ecb, "\"\(ecb)\"", "'\(ecb)'", " \n\(ecb)\r\n", "\"\(ecb.replacing("/", with: "\\/"))\"",
        ecb.replacing("+", with: " "), "\"\(ecb.replacing("+", with: " "))\"",
        ecb.replacing("+", with: "-").replacing("/", with: "_"), "\"\(ecb.prefix(38))\r\n\(ecb.dropFirst(38))\"",
        "\"\(ecb.prefix(38))\\r\\n\(ecb.dropFirst(38))\"", "\(ecb.prefix(20)) \(ecb.dropFirst(20))",
        ecb.map { "\($0)\n" }.joined(),
    ])
    func `Base64 reads bare and in quotes, in lines, and with what happens to it on the way`(body: String) throws {
        #expect(try self.reading(body, by: self.codec(.ecb)) == .document(Self.success))
    }

    @Test(arguments: [
        "<r><RETCODE>000000</RETCODE><RETMSG>上传成功</RETMSG></r>", "\u{FEFF}\n\(json)\n\n",
        "<?xml version=\"1.0\"?>\n<r><RETMSG>上传成功</RETMSG><RETCODE>000000</RETCODE></r>\n",
    ])
    func `XML, white space and missing padding are read behind the encryption, too`(plain: String) throws {
        let body = TripleDESSealing.cbc(plain).base64EncodedString()
        #expect(try self.reading(body, by: self.codec()) == .document(Self.success))
        #expect(try self.reading(body.replacing("=", with: ""), by: self.codec()) == .document(Self.success))
    }

    @Test func `Padding of zeros, or none, is for the reader to judge`() throws {
        var zeros = Data(Self.json.utf8)
        while !zeros.count.isMultiple(of: 8) { zeros.append(0) }
        var spaces = Data(Self.json.utf8)
        while !spaces.count.isMultiple(of: 8) { spaces.append(0x20) }
        for plain in [zeros, spaces] {
            let body = TripleDESSealing.unpadded(plain).base64EncodedString()
            #expect(try self.reading(body, by: self.codec()) == .document(Self.success))
        }
    }

    @Test func `Where replies are optionally encrypted, those in the clear read as ever`() throws {
        #expect(try self.reading(Self.json, by: self.codec()) == .document(Self.success))
        let xml = "<r><RETCODE>000000</RETCODE><RETMSG>上传成功</RETMSG></r>"
        #expect(try self.reading(xml, by: self.codec()) == .document(Self.success))
        #expect(try self.reading("<html>", by: self.codec()) == .unknownFormat)
    }

    @Test func `A wrong key, mode or start vector is no success, although the padding may be right`() throws {
        let codecs = [
            try self.codec(key: "abcdefghijklmnopqrstuvwx"), try self.codec(vector: "76543210"), try self.codec(.ecb),
            try self.codec(key: "0123456789abcdef"),
        ]
        for codec in codecs { #expect(self.reading(Self.cbc, by: codec) == .undeciphered) }
        #expect(try self.reading(Self.ecb, by: self.codec(.cbc)) == .undeciphered)
    }

    @Test func `A start vector that spoils one letter of the code's name leaves no code`() throws {
        // The third byte of the first block is the R of RETCODE.
        let reading = try self.reading(Self.cbc, by: self.codec(vector: "01634567"))
        guard case .document(let document) = reading else { throw Absent() }
        #expect(document.statement == nil)
    }

    @Test(arguments: ["", "A", "000000", "success", "[]", "null", "\"000000\"", cbc, "{", "<r>"])
    func `What decrypts to something else than JSON or XML is no success`(plain: String) throws {
        let body = TripleDESSealing.cbc(plain).base64EncodedString()
        #expect(try self.reading(body, by: self.codec()) == .undeciphered)
    }

    @Test func `Every cut of the ciphertext, and every flipped bit of its end, is no success`() throws {
        let codec = try self.codec()
        let whole = Array(Self.cbc.utf8)
        for length in 0..<whole.count {
            #expect(
                codec.reading(of: HTTPReply(status: 200, body: Data(whole.prefix(length)))) != .document(Self.success)
            )
        }
        let bytes = try #require(Data(base64Encoded: Self.cbc))
        for bit in 0..<8 {
            var flipped = bytes
            flipped[flipped.count - 9] ^= 1 << bit
            let reading = codec.reading(of: HTTPReply(status: 200, body: Data(flipped.base64EncodedString().utf8)))
            if case .document(let document) = reading { #expect(document != Self.success) }
        }
    }

    @Test func `A hostile document behind the encryption is as harmless as before it`() throws {
        let laughs = "<!DOCTYPE r [<!ENTITY a \"0\">]><r><RETCODE>&a;</RETCODE></r>"
        let deep = "{\"RETCODE\":\"0\",\"x\":" + String(repeating: "[", count: 1000) + "1"
        for plain in [laughs, deep + String(repeating: "]", count: 1000) + "}"] {
            let body = TripleDESSealing.cbc(plain).base64EncodedString()
            #expect(try self.reading(body, by: self.codec()) == .undeciphered)
        }
    }
}
#endif
