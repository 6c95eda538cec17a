import Foundation
import MultipartForm
import Testing

@Suite struct ParserRulesTests {
    static let all = ParserCase.disagreements + ParserCase.refusals + ParserCase.acceptances

    @Test func `The parser has a decision on each of the thirty cases`() {
        #expect(Set(ParserCase.disagreements.compactMap { Int($0.title.prefix(2)) }) == Set(1...30))
    }

    @Test(arguments: Self.all)
    func `The parser decides as documented on the whole, byte by byte, for every cut into two chunks and random cuts`(
        item: ParserCase
    ) throws {
        try item.check()
        try item.check(chunks: Chunks(sizes: [1]), "byte by byte")
        for cut in 1..<max(1, item.body.count) {
            try item.check(chunks: Chunks(sizes: [cut, .max]), "cut after \(cut)")
        }
        for seed in UInt8.min..<32 {
            try item.check(chunks: Chunks(seed: seed), "cuts of seed \(seed)")
        }
    }

    @Test func `The parser decides the same for every cut of a small body into three chunks`() throws {
        let body = "--XbndX\r\nContent-Disposition: form-data; name=a\r\n\r\n\r\n--Xbn\r\r\n--XbndX--\r\n"
        let item = ParserCase("three", body, .parts([.text("a", "\r\n--Xbn\r")]))
        for first in 0...body.utf8.count {
            for second in 0...(body.utf8.count - first) {
                try item.check(chunks: Chunks(sizes: [first, second, .max]), "\(first), \(second)")
            }
        }
    }

    @Test func `The parser gives every header line in order`() throws {
        let head = "Content-Disposition: form-data; name=a\r\nX-One:  1 \r\nx-one: 2"
        let body = Data("--XbndX\r\n\(head)\r\n\r\n\r\n--XbndX--".utf8)
        let outcome = try Outcome(body, contentType: "multipart/form-data; boundary=XbndX")
        let part = try #require(outcome.parts.first)
        #expect(part.head.fields.map(\.name) == ["Content-Disposition", "X-One", "x-one"])
        #expect(part.head.fields.map(\.value) == ["form-data; name=a", "1", "2"])
    }

    @Test func `The parser shows no names or bytes in descriptions`() throws {
        let body = ParserCase.base(disposition: "Content-Disposition: form-data; name=secret; filename=secret")
        var parser = try MultipartParser(contentType: "multipart/form-data; boundary=XbndX")
        parser.append(body)
        parser.finish()
        var events: [MultipartParser.Event] = []
        while let event = try parser.next() { events.append(event) }
        var dumped = ""
        dump(events, to: &dumped)
        guard case .partBegan(let head) = events[0] else {
            Issue.record("no part began")
            return
        }
        dump(head, to: &dumped)
        dump(head.fields, to: &dumped)
        for text in ["\(events)", "\(head)", "\(head.fields)", String(reflecting: events), dumped] {
            #expect(!text.contains("secret") && !text.contains("DATA"))
        }
    }

    @Test func `The parser throws the same error for ever, and gives nothing after the end`() throws {
        var parser = try MultipartParser(contentType: "multipart/form-data; boundary=XbndX")
        parser.append(Data("--XbndX--".utf8))
        #expect(try parser.next() == nil)
        parser.finish()
        #expect(try parser.next() == .formEnded)
        #expect(try parser.next() == nil)
        var failed = try MultipartParser(contentType: "multipart/form-data; boundary=XbndX")
        failed.append(Data("--XbndX!".utf8))
        for _ in 0..<3 {
            #expect(try formErrorCode { _ = try failed.next() } == .malformedDelimiter)
            failed.append(Data("--XbndX--".utf8))
        }
    }

    @Test func `The parser gives content as slices of the chunk, not as copies`() throws {
        let content = noise(100_000)
        let form = try MultipartForm(parts: [plainFile(content)], boundary: Boundary("qqqqqqqqqq"))
        let body = allBytes(of: form)
        var parser = try MultipartParser(contentType: form.contentType)
        parser.append(body)
        parser.finish()
        var inside = 0
        while let event = try parser.next() {
            if case .data(let data) = event, data.lies(in: body) { inside += data.count }
        }
        #expect(inside == content.count)
    }

    @Test func `The parser takes chunks whose events were not pulled before, empty ones too`() throws {
        var parser = try MultipartParser(contentType: "multipart/form-data; boundary=XbndX")
        for byte in ParserCase.base() {
            parser.append(Data([byte]))
            parser.append(Data())
        }
        parser.finish()
        var content = Data()
        while let event = try parser.next() {
            if case .data(let data) = event { content.append(data) }
        }
        #expect(content == ParserCase.content)
    }
}
