import Foundation
import MultipartForm
import Testing

@Suite struct FormReaderTests {
    @Test func `A reader of a form yields identical bytes for every chunk size`() throws {
        let parts: [MultipartForm.Part] = [
            .text("", name: "empty"), plainFile(Data()), plainFile(noise(33)),
            plainFile(noise(50)[7...]), plainFile(Data()),
        ]
        let form = try MultipartForm(parts: parts, boundary: Boundary("XbndX"))
        let reference = allBytes(of: form)
        #expect(reference.count == form.contentLength)
        for size in 1...(reference.count + 1) {
            #expect(allBytes(of: form, chunk: size) == reference, "chunk size \(size)")
        }
    }

    @Test func `A reader of a form fills every chunk but the last, knows its end, and stays there`() throws {
        let form = try MultipartForm(
            parts: [plainFile(noise(200_000)), .text("v", name: "t")],
            boundary: Boundary("b")
        )
        var reader = form.makeReader()
        var rest = form.contentLength
        while let chunk = reader.read() {
            #expect(chunk.count == min(rest, 65_536))
            rest -= chunk.count
            #expect(reader.isAtEnd == (rest == 0))
        }
        #expect(rest == 0)
        let more = reader.read()
        #expect(more == nil)
    }

    @Test func `A reader of a form does not copy chunks that lie within a memory part`() throws {
        let content = noise(300_000)
        let form = try MultipartForm(parts: [plainFile(content)], boundary: Boundary("b"))
        var reader = form.makeReader()
        _ = reader.read(upTo: 1000)
        let chunk = reader.read(upTo: 65_536) ?? Data()
        let isInside = content.withUnsafeBytes { whole in
            chunk.withUnsafeBytes { part in
                guard let start = whole.baseAddress, let inner = part.baseAddress else { return false }
                return inner >= start && inner + part.count <= start + whole.count
            }
        }
        #expect(isInside)
    }

    @Test func `A reader of a form handles a memory part that is itself a slice`() throws {
        let content = noise(1000)[100..<900]
        let form = try MultipartForm(parts: [plainFile(content)], boundary: Boundary("XbndX"))
        #expect(allBytes(of: form, chunk: 64).range(of: Data(content)) != nil)
    }

    @Test func `A reader of a form is fresh each time and independent of its copies`() throws {
        let parts: [MultipartForm.Part] = [.text("v", name: "t"), plainFile(noise(1000))]
        let form = try MultipartForm(parts: parts, boundary: Boundary("XbndX"))
        let first = allBytes(of: form)
        var original = form.makeReader()
        let head = original.read(upTo: 500) ?? Data()
        var copy = original
        let rest = original.read(upTo: 5000) ?? Data()
        let copied = copy.read(upTo: 5000) ?? Data()
        #expect(head + rest == first)
        #expect(copied == rest)
        #expect(allBytes(of: form) == first)
    }
}
