import Foundation
import MultipartForm
import Testing

@Suite struct FormReaderTests {
    @Test func `A reader of a form yields identical bytes for every chunk size`() throws {
        let slice = noise(50)[7...]
        let parts: [MultipartForm.Part] = [
            .text("", name: "empty"), plainFile(Data()), plainFile(noise(33)), plainFile(slice), plainFile(Data()),
        ]
        let form = try MultipartForm(parts: parts, boundary: Boundary("XbndX"))
        let reference = allBytes(of: form)
        #expect(reference.count == form.contentLength)
        #expect(reference.range(of: Data(slice)) != nil)
        for size in 1...(reference.count + 1) {
            #expect(allBytes(of: form, chunk: size) == reference, "chunk size \(size)")
        }
    }

    @Test func `A reader of a form loses nothing to a sink that takes one byte now and seven then`() throws {
        let parts: [MultipartForm.Part] = [.text("v", name: "t"), plainFile(noise(3000)), .text("", name: "e")]
        let form = try MultipartForm(parts: parts, boundary: Boundary("XbndX"))
        let reference = allBytes(of: form)
        var reader = form.makeReader()
        var (sunk, room) = (Data(), 1)
        while let chunk = reader.read(upTo: room) {
            #expect(chunk.count == min(room, reference.count - sunk.count))
            sunk += chunk
            room = 8 - room
        }
        #expect(sunk == reference)
    }

    @Test func `A reader of a form fills every chunk but the last, knows its end, and stays there`() throws {
        let form = try MultipartForm(
            parts: [plainFile(noise(200_000)), .text("v", name: "t")],
            boundary: Boundary("b")
        )
        var reader = form.makeReader()
        var rest = form.contentLength
        while let chunk = reader.read(upTo: 65_536) {
            #expect(chunk.count == min(rest, 65_536))
            rest -= chunk.count
            #expect(reader.isAtEnd == (rest == 0))
        }
        #expect(rest == 0)
        let more = reader.read(upTo: 65_536)
        #expect(more == nil)
    }

    @Test func `A reader of a form does not copy chunks that lie within a memory part`() throws {
        let content = noise(300_000)
        let form = try MultipartForm(parts: [plainFile(content)], boundary: Boundary("b"))
        var reader = form.makeReader()
        _ = reader.read(upTo: 1000)
        let chunk = reader.read(upTo: 65_536) ?? Data()
        #expect(chunk.lies(in: content))
    }

    @Test func `a form's reader is fresh each time, apart from its copies, and may change executors`() async throws {
        let parts: [MultipartForm.Part] = [.text("v", name: "t"), plainFile(noise(1000))]
        let form = try MultipartForm(parts: parts, boundary: Boundary("XbndX"))
        let first = allBytes(of: form)
        var original = form.makeReader()
        let head = original.read(upTo: 500) ?? Data()
        let begun = original
        let rest = original.read(upTo: 5000) ?? Data()
        #expect(head + rest == first)
        #expect(allBytes(of: form) == first)
        // AFNetworking#2481: a reader that only worked on the thread it was made on.
        await withTaskGroup(of: Data.self) { group in
            for chunk in 1...16 {
                group.addTask {
                    var (moved, tail) = (begun, Data())
                    while let bytes = moved.read(upTo: chunk * 37) { tail += bytes }
                    return tail
                }
            }
            for await tail in group { #expect(tail == rest) }
        }
    }
}
