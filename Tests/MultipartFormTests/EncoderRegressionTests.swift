import Foundation
import MultipartForm
import Testing

/// What went wrong in other people's encoders.
@Suite struct EncoderRegressionTests {
    private func form(_ folder: ScratchFolder) throws -> MultipartForm {
        let path = try folder.file("x", noise(3000))
        let file = MultipartForm.Content.file(path: path, length: 3000)
        let parts: [MultipartForm.Part] = [
            .text("v", name: "t"), plainFile(noise(500)),
            .file(file, name: "f", filename: "f.jpg", contentType: "image/jpeg"),
            .text("", name: "e"),
        ]
        return try MultipartForm(parts: parts, boundary: Boundary("XbndX"))
    }

    @Test
    func `The encoder loses nothing to a sink that takes nothing now and one byte then`()
        throws
    {
        let folder = try ScratchFolder()
        let form = try self.form(folder)
        let reference = try allBytes(of: form)
        var reader = try form.makeReader()
        var sunk = Data()
        var space = [UInt8](repeating: 0, count: 7)
        var turn = 0
        while sunk.count < reference.count {
            turn += 1
            let room = [0, 1, 0, 0, 7, 2][turn % 6]
            let count = try space.withUnsafeMutableBytes { bytes in
                try reader.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[..<room]))
            }
            #expect(count == min(room, reference.count - sunk.count))
            sunk += space[..<count]
            #expect(reader.bytesRead == UInt64(sunk.count))
        }
        #expect(sunk == reference)
        #expect(try reader.read() == nil)
    }

    @Test
    func `The encoder works on any executor, on several at once, with a reader that moves (AFNetworking#2481)`()
        async throws
    {
        let folder = try ScratchFolder()
        let form = try self.form(folder)
        let reference = try allBytes(of: form)
        let onMain = try await Self.readOnMainActor(form)
        #expect(onMain == reference)
        try await withThrowingTaskGroup(of: Data.self) { group in
            for chunk in 1...16 {
                group.addTask { try allBytes(of: form, chunk: chunk * 37) }
            }
            for try await bytes in group { #expect(bytes == reference) }
        }
        var reader = try form.makeReader()
        let head = try #require(try reader.read(upTo: 700))
        let moved = reader
        let tail = try await Self.rest(of: moved)
        #expect(head + tail == reference)
    }

    @MainActor
    private static func readOnMainActor(_ form: MultipartForm) throws -> Data {
        try allBytes(of: form)
    }

    @concurrent
    private static func rest(of reader: MultipartForm.Reader) async throws -> Data {
        var reader = reader
        var result = Data()
        while let chunk = try reader.read(upTo: 100) { result.append(chunk) }
        return result
    }

    @Test
    func `The encoder sends no byte past the stated length of a file that holds more (Alamofire#3714, #3730, #3380)`()
        throws
    {
        let folder = try ScratchFolder()
        let path = try folder.file("x", noise(1000))
        let content = MultipartForm.Content.file(path: path, length: 1000)
        let part = MultipartForm.Part.file(content, name: "f", filename: "f.jpg", contentType: "image/jpeg")
        let form = try MultipartForm(parts: [part], boundary: Boundary("b"))
        var reader = try form.makeReader()
        var sent = Data()
        let handle = try FileHandle(forUpdating: URL(filePath: path))
        try handle.seekToEnd()
        try handle.write(contentsOf: noise(500, seed: 3))
        try handle.close()
        let code = try formErrorCode { while let chunk = try reader.read(upTo: 10) { sent.append(chunk) } }
        #expect(code == .sourceChanged)
        #expect(sent.range(of: noise(500, seed: 3).prefix(20)) == nil)
        #expect(UInt64(sent.count) < form.contentLength)
    }
}
