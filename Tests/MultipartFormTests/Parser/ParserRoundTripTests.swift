import Foundation
import MultipartForm
import Testing

@Suite struct ParserRoundTripTests {
    @Test(arguments: [TestSeed.value])
    func `our parser reads what our encoder writes: 400 random forms, cut at random, by seed`(seed: UInt64) throws {
        for (index, item) in InteropCase.random(count: 400, seed: seed).enumerated() {
            let form = try item.form()
            let body = allBytes(of: form)
            #expect(body.count == form.contentLength, "\(item.name), seed \(seed)")
            for chunks in [Chunks(seed: UInt8(truncatingIfNeeded: index)), Chunks(sizes: [1])] {
                let outcome = try Outcome(body, contentType: form.contentType, chunks: chunks)
                #expect(outcome.code == nil, "\(item.name), seed \(seed)")
                let expected = item.fields.map { field in
                    let name = WrittenName.expected(name: Self.normalized(field.name), filename: field.filename)
                    let isText = field.filename == nil
                    let content =
                        isText ? Data(Self.normalized(String(decoding: field.data, as: UTF8.self)).utf8) : field.data
                    return ParserCase.Part(name.name, name.filename, field.type, content)
                }
                let found = outcome.parts.map {
                    ParserCase.Part($0.head.name, $0.head.filename, $0.head.contentType, $0.content)
                }
                #expect(found == expected, "\(item.name), seed \(seed)")
            }
        }
    }

    @Test(arguments: [TestSeed.value])
    func `What our encoder writes is whole only if all of it came: 20 random forms, cut anywhere`(seed: UInt64) throws {
        for item in InteropCase.random(count: 20, seed: seed) {
            let form = try item.form()
            let body = allBytes(of: form)
            for count in 0..<(body.count - 2) {
                let outcome = try Outcome(body.prefix(count), contentType: form.contentType)
                #expect(outcome.code == .truncated, "\(item.name) after \(count) bytes, seed \(seed)")
            }
        }
    }

    /// CR LF for each line break, as the WHATWG form encoding asks of names and text.
    private static func normalized(_ text: String) -> String {
        text.replacing(/\r\n|\r|\n/.matchingSemantics(.unicodeScalar), with: "\r\n")
    }
}
