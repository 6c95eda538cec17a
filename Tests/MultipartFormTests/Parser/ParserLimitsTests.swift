import Foundation
import Testing

@testable import MultipartForm

@Suite struct ParserLimitsTests {
    /// A bound, a body that just keeps it, and one that has one more.
    typealias Bound = (
        title: String, code: MultipartFormError.Code, kept: String, broken: String,
        set: @Sendable (inout MultipartParser.Limits) -> Void
    )

    private static let disposition = "Content-Disposition: form-data; name=a\r\n"

    private static func form(headers: String = disposition, content: String = "v", count: Int = 1) -> String {
        String(repeating: "--XbndX\r\n\(headers)\r\n\(content)\r\n", count: count) + "--XbndX--\r\n"
    }

    private static func padded(_ count: Int) -> String {
        form(headers: disposition + "X: \(String(repeating: "x", count: count))\r\n")
    }

    static let bounds: [Bound] = [
        // Unbounded part headers: GHSA-pp6c-gr5w-3c5g.
        ("bytes of header lines", .headerTooLarge, padded(55), padded(56), { $0.partHeaderBytes = 102 }),
        (
            "header lines of a part", .tooManyHeaders, form(headers: disposition + "X: 1\r\nX: 2\r\n"),
            form(headers: disposition + "X: 1\r\nX: 2\r\nX: 3\r\n"), { $0.partHeaderCount = 3 }
        ),
        ("parts", .tooManyParts, form(count: 3), form(count: 4), { $0.partCount = 3 }),
        (
            "bytes of a part", .partTooLarge, form(content: "\r\n--XbndY\r"), form(content: "\r\n--XbndY\r\n"),
            { $0.partBytes = 10 }
        ),
        (
            "bytes of each of three parts", .partTooLarge, form(content: "0123456789", count: 3),
            String(form(content: "0123456789", count: 2).dropLast(11)) + form(content: "0123456789A"),
            { $0.partBytes = 10 }
        ),
        (
            "bytes of the body", .bodyTooLarge, form(content: "123"), form(content: "1234"),
            { $0.totalBytes = UInt64(form(content: "123").utf8.count) }
        ),
        // Huge preamble and epilogue: GHSA-mj87-hwqh-73pj.
        (
            "bytes before the first part", .surroundingsTooLarge, "12\r\n--Xbn\r\n\(form())",
            "123\r\n--Xbn\r\n\(form())", { $0.preambleBytes = 9 }
        ),
        (
            "bytes after the last part", .surroundingsTooLarge, "\(form())12345", "\(form())123456",
            { $0.epilogueBytes = 5 }
        ),
        (
            "bytes after the last part, beside those before the first", .surroundingsTooLarge,
            "12345\r\n\(form())12345", "12345\r\n\(form())123456", { ($0.preambleBytes, $0.epilogueBytes) = (5, 5) }
        ),
        (
            "padding after a boundary", .surroundingsTooLarge, "--XbndX \t \r\n\(disposition)\r\n\r\n--XbndX--   ",
            "--XbndX \t  \r\n\(disposition)\r\n\r\n--XbndX--   ", { $0.paddingBytes = 3 }
        ),
        (
            "padding after the closing boundary", .surroundingsTooLarge, "--XbndX--   \r\n", "--XbndX--    \r\n",
            { $0.paddingBytes = 3 }
        ),
    ]

    @Test(arguments: Self.bounds) func `the parser's limits are kept to the byte in every cut`(bound: Bound) throws {
        var limits = MultipartParser.Limits()
        bound.set(&limits)
        let cuts = [Chunks(seed: nil), Chunks(sizes: [1])] + (UInt8.min..<20).map { Chunks(seed: $0) }
        for chunks in cuts {
            let type = "multipart/form-data; boundary=XbndX"
            let kept = try Outcome(Data(bound.kept.utf8), contentType: type, limits: limits, chunks: chunks)
            #expect(kept.code == nil)
            let broken = try Outcome(Data(bound.broken.utf8), contentType: type, limits: limits, chunks: chunks)
            #expect(broken.code == bound.code)
            #expect(broken.code?.isLimit == true)
        }
    }

    @Test func `The parser's limits hold for the boundary: 70 characters by default`() throws {
        func code(_ count: Int, limit: Int?) throws -> MultipartFormError.Code? {
            var limits = MultipartParser.Limits()
            if let limit { limits.boundaryCharacters = limit }
            let type = "multipart/form-data; boundary=\(String(repeating: "Z", count: count))"
            return try formErrorCode { _ = try MultipartParser(contentType: type, limits: limits) }
        }
        #expect(try code(70, limit: nil) == nil)
        #expect(try code(71, limit: nil) == .invalidBoundary)
        #expect(try code(10, limit: 10) == nil)
        #expect(try code(11, limit: 10) == .invalidBoundary)
        #expect(MultipartFormError.Code.invalidBoundary.isLimit == false)
    }

    @Test func `The parser's limits stop an endless header, preamble and epilogue within a chunk of it`() throws {
        let starts = [
            ("--XbndX\r\nX: ", "x", MultipartFormError.Code.headerTooLarge), ("", "x", .surroundingsTooLarge),
            ("--XbndX--\r\n", "x", .surroundingsTooLarge), ("--XbndX", " ", .surroundingsTooLarge),
            ("", "\r\n", .surroundingsTooLarge), ("--XbndX\r\n", "X: y\r\n", .tooManyHeaders),
            ("", "--XbndX\r\nContent-Disposition: form-data; name=a\r\n\r\n\r\n", .tooManyParts),
        ]
        for (start, repeated, code) in starts {
            var parser = try MultipartParser(contentType: "multipart/form-data; boundary=XbndX")
            parser.append(Data(start.utf8))
            var fed = 0
            let found = try formErrorCode {
                while fed < 1 << 20 {
                    while try parser.next() != nil {}
                    parser.append(Data(String(repeating: repeated, count: 16).utf8))
                    fed += repeated.utf8.count * 16
                }
            }
            #expect(found == code)
            #expect(fed < 10_000)
        }
    }

    @Test(arguments: ["\r\n", "\r", "\n", "\r\r\n", "\r\n-", "\r\n--", "\r\n--Xbnd", "\r\n--Xbnd\r", "x", "--XbndX"])
    func `The parser takes time in line with the bytes, however dense in line ends and near misses: CVE-2023-46136`(
        repeated: String
    ) async throws {
        // A scanner that went back at each of them would need hours.
        let head = Data("x\r\n--XbndX\r\n\(Self.disposition)\r\n.".utf8)
        for (chunk, size) in [(Int.max, 1 << 19), (1, 1 << 17), (7, 1 << 19), (4096, 1 << 19)] {
            let content = Data(String(repeating: repeated, count: size / repeated.utf8.count).utf8)
            for isPreamble in [false, true] {
                // Without optimization each takes seconds, and tests share two threads.
                await Task.yield()
                var limits = MultipartParser.Limits()
                limits.preambleBytes = .max
                var parser = try MultipartParser(contentType: "multipart/form-data; boundary=XbndX", limits: limits)
                var rest = isPreamble ? Data("y".utf8) + content : head + content
                rest += Data("\r\n--XbndX--".utf8)
                var (chunks, events) = (0, 0)
                while !rest.isEmpty {
                    parser.append(rest.prefix(chunk))
                    rest = rest.dropFirst(chunk)
                    chunks += 1
                    while try parser.next() != nil { events += 1 }
                }
                parser.finish()
                #expect(try parser.next() == .formEnded)
                // Content is not chopped up at its line ends either.
                #expect(events <= 2 * chunks + 3)
            }
        }
    }

    @Test func `A header line that comes byte by byte is searched once, not once more for each byte`() throws {
        var parser = try MultipartParser(contentType: "multipart/form-data; boundary=XbndX")
        let headers = Data("\(Self.disposition)X: \(String(repeating: "x", count: 5000))\r\n\r\n".utf8)
        parser.append(Data("--XbndX\r\n".utf8))
        #expect(try parser.next() == nil)
        var (searched, hasBegun) = (0, false)
        for byte in headers {
            parser.append(Data([byte]))
            searched += parser.pending.count - parser.searchedBytes
            hasBegun = try parser.next() != nil
        }
        #expect(hasBegun)
        #expect(searched == headers.count)
    }

    @Test(arguments: ["\r", "\r\n", "\r\n--Xbnd"])
    func `Chunks that end in the delimiter's beginning are not kept, one behind the other`(ending: String) throws {
        var parser = try MultipartParser(contentType: "multipart/form-data; boundary=XbndX")
        parser.append(Data("--XbndX\r\n\(Self.disposition)\r\n".utf8))
        while try parser.next() != nil {}
        let size = 1000
        var kept = 0
        for _ in 0..<1000 {
            parser.append(Data(String(repeating: "x", count: size - ending.utf8.count).utf8) + Data(ending.utf8))
            // Where a slice ends says how much it keeps.
            kept = max(kept, parser.pending.endIndex)
            while try parser.next() != nil {}
        }
        #expect(parser.pending.count == ending.utf8.count)
        #expect(kept <= size + ending.utf8.count)
    }
}
