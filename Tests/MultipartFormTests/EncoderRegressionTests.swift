import Foundation
import MultipartForm
import Testing

/// What went wrong in other people's encoders.
@Suite struct EncoderRegressionTests {
    private func form() throws -> MultipartForm {
        let parts: [MultipartForm.Part] = [
            .text("v", name: "t"), plainFile(noise(500)), plainFile(noise(3000)), .text("", name: "e"),
        ]
        return try MultipartForm(parts: parts, boundary: Boundary("XbndX"))
    }

    @Test
    func `The encoder loses nothing to a sink that takes one byte now and seven then`()
        throws
    {
        let form = try self.form()
        let reference = allBytes(of: form)
        var reader = form.makeReader()
        var sunk = Data()
        var room = 1
        while let chunk = reader.read(upTo: room) {
            #expect(chunk.count == min(room, reference.count - sunk.count))
            sunk += chunk
            room = room == 1 ? 7 : 1
        }
        #expect(sunk == reference)
        let more = reader.read()
        #expect(more == nil)
    }

    @Test
    func `The encoder works on any executor, on several at once, with a reader that moves (AFNetworking#2481)`()
        async throws
    {
        let form = try self.form()
        let reference = allBytes(of: form)
        let onMain = await Self.readOnMainActor(form)
        #expect(onMain == reference)
        await withTaskGroup(of: Data.self) { group in
            for chunk in 1...16 {
                group.addTask { allBytes(of: form, chunk: chunk * 37) }
            }
            for await bytes in group { #expect(bytes == reference) }
        }
        var reader = form.makeReader()
        let head = reader.read(upTo: 700) ?? Data()
        let moved = reader
        let tail = await Self.rest(of: moved)
        #expect(head + tail == reference)
    }

    @MainActor
    private static func readOnMainActor(_ form: MultipartForm) -> Data {
        allBytes(of: form)
    }

    @concurrent
    private static func rest(of reader: MultipartForm.Reader) async -> Data {
        var reader = reader
        var result = Data()
        while let chunk = reader.read(upTo: 100) { result.append(chunk) }
        return result
    }
}
