import CardModel
import Foundation
import TestSupport
import Testing

@testable import CardRemote

/// Charsets and content codings of replies.
@Suite(.timeLimit(.minutes(5))) struct ReplyTextTests {
    /// 成功 in GBK, as iconv has it.
    private static let gbk: [UInt8] = [0xB3, 0xC9, 0xB9, 0xA6]

    private func text(_ bytes: [UInt8], _ contentType: String?, coding: String? = nil) throws(Message) -> String {
        let reply = HTTPReply(status: 200, contentType: contentType, contentCoding: coding, body: Data(bytes))
        return String(decoding: try ReplyText.utf8(of: reply), as: UTF8.self)
    }

    @Test(arguments: [
        ("application/json;charset=GBK" as String?, gbk), ("application/json; charset=gb2312", gbk),
        ("text/plain; Charset=\"GB18030\"; x=y", gbk), ("text/xml;charset='cp936'", gbk),
        ("application/json;charset=Big5", [0xA6, 0xA8, 0xA5, 0x5C]),
        ("application/json;charset=utf-8", Array("成功".utf8)),
        ("application/json;charset=iso-8859-1", Array("成功".utf8)), ("application/json", Array("成功".utf8)),
        (nil, Array("成功".utf8)), ("a/b;charset=GBK", [0xEF, 0xBB, 0xBF] + Array("成功".utf8)),
        (nil, [0xFE, 0xFF, 0x62, 0x10, 0x52, 0x9F]), (nil, [0xFF, 0xFE, 0x10, 0x62, 0x9F, 0x52]),
        ("a/b;charset=utf-16le", [0x10, 0x62, 0x9F, 0x52]),
    ])
    func `A body is read by its mark, then by its label, then as UTF-8`(contentType: String?, bytes: [UInt8]) throws {
        #expect(try self.text(bytes, contentType) == "成功")
    }

    @Test func `The label counts before an XML declaration, and the declaration before UTF-8`() throws {
        let declared = Array(#"<?xml version="1.0" encoding="GBK"?><r>"#.utf8) + Self.gbk
        #expect(try self.text(declared, nil).hasSuffix("成功"))
        #expect(try self.text(declared, "text/xml;charset=gbk").hasSuffix("成功"))
        let other = Array(#"<?xml version="1.0" encoding="utf-8"?><r>"#.utf8) + Self.gbk
        #expect(try self.text(other, "text/xml;charset=gbk").hasSuffix("成功"))
    }

    @Test(arguments: [
        ("a/b;charset=x-klingon", nil as String?, "x-klingon"), ("a/b;charset=utf-8", nil, "utf-8"),
        ("a/b", nil, "names no charset"),
        ("a/b;charset=gbk", "br", "br"), ("a/b;charset=gbk", "gzip, gzip", "gzip, gzip"),
        ("a/b;charset=\(String(repeating: "x", count: 99))", nil, "the charset …"),
    ])
    func `what cannot be read names its charset or coding`(contentType: String, coding: String?, words: String) {
        let error = #expect(throws: Message.self) {
            try self.text(Self.gbk + [0xFF, 0xFF], contentType, coding: coding)
        }
        #expect(error?.contains(words) == true)
    }

    /// A reply with a body in some bytes.
    private func reply(_ headers: String, _ body: [UInt8]) -> FaultScript {
        .reply(
            FaultReply(raw: Array("HTTP/1.1 200 OK\r\nContent-Length: \(body.count)\r\n\(headers)\r\n\r\n".utf8) + body)
        )
    }

    /// `{"a":1}` by gzip and by zlib.
    private static let gzip: [UInt8] = [
        0x1F, 0x8B, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0x03, 0xAB, 0x56, 0x4A, 0x54, 0xB2, 0x32, 0xAC, 0x05,
        0x00, 0xAF, 0xAC, 0x1B, 0x56, 0x07, 0x00, 0x00, 0x00,
    ]
    private static let deflate: [UInt8] = [
        0x78, 0x9C, 0xAB, 0x56, 0x4A, 0x54, 0xB2, 0x32, 0xAC, 0x05, 0x00, 0x08, 0x2A, 0x02, 0x09,
    ]

    @Test(arguments: [("gzip", gzip), ("deflate", deflate)])
    func `A reply that is compressed although nobody asked is inflated`(coding: String, bytes: [UInt8]) async throws {
        let reply = try await exchange(self.reply("Content-Encoding: \(coding)", bytes)).reply
        #expect(reply?.contentCoding == nil)
        #expect(reply.map { String(decoding: $0.body, as: UTF8.self) } == #"{"a":1}"#)
    }

    @Test func `A compressed reply that is damaged is named so`() async throws {
        let damaged = Self.gzip.prefix(12) + [0xFF, 0xFF, 0xFF, 0xFF]
        let failure = try await exchange(self.reply("Content-Encoding: gzip", Array(damaged))).failure
        #expect(failure?.kind == "afterSend replyUndecodable")
    }

    @Test func `A reply is inflated up to the limit, however well it was packed`() async throws {
        // A batch reply of a hundred equal items shrinks to a thirtieth, one of a thousand to much less.
        let item = #"{"RETCODE":"000000","RETMSG":"SUCCESS"},"#
        for (count, isRead) in [(100, true), (20_000, true), (30_000, false)] {
            let text = String(repeating: item, count: count)
            let packed = try await GzipFile.bytes(Array(text.utf8))
            #expect(text.utf8.count > 25 * packed.count)
            let exchange = try await exchange(self.reply("Content-Encoding: gzip", packed))
            #expect(exchange.reply.map { $0.body.count } == (isRead ? text.utf8.count : nil), "\(count)")
            #expect(isRead || [.replyUndecodable, .replyTooLarge].contains(exchange.failure?.code), "\(count)")
        }
    }

    @Test func `A coding that is not undone here is kept for the message`() async throws {
        let reply = try await exchange(self.reply("Content-Encoding: br", [1, 2, 3])).reply
        #expect(reply?.contentCoding == "br")
    }

    @Test(arguments: ["utf-8", "aws-chunked", "none", "identity", "gzip", "deflate", "br", "gzip, gzip"])
    func `plain JSON is read whatever coding its sender names, at the backend and at the verifier`(
        coding: String
    ) async throws {
        let answered = try await exchange(
            self.reply("Content-Encoding: \(coding)", Array(#"{"RETCODE":"000000"}"#.utf8))
        )
        let outcome = answered.reply.map { BackendReply().outcome(of: $0, mask: MessageMask()) }
        #expect(outcome == .accepted(alreadyExisted: false, code: "000000"))
        let error = Array(#"{"error_message":"CONCURRENCY_LIMIT_EXCEEDED"}"#.utf8)
        let refused = try #require(try await exchange(self.reply("Content-Encoding: \(coding)", error)).reply)
        let reading = ReplyReading(refused, dialect: .faceIDv1).outcome
        #expect(reading.failure?.code == "CONCURRENCY_LIMIT_EXCEEDED")
    }
}
