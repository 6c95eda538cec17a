import Foundation
import Glibc
import MultipartForm
import Testing

@Suite struct FormReaderTests {
    private func fileForm(_ path: String, length: Int) throws -> MultipartForm {
        let content = MultipartForm.Content.file(path: path, length: UInt64(length))
        let part = MultipartForm.Part.file(content, name: "f", filename: "f.jpg", contentType: "image/jpeg")
        return try MultipartForm(parts: [.text("v", name: "t"), part], boundary: Boundary("XbndX"))
    }

    @Test func `A reader of a form yields identical bytes for every chunk size`() throws {
        let folder = try ScratchFolder()
        let content = noise(50)
        let path = try folder.file("x", content)
        let parts: [MultipartForm.Part] = [
            .text("", name: "empty"), plainFile(Data()), plainFile(noise(33)),
            .file(.file(path: path, length: 50), name: "f", filename: "f.jpg", contentType: "image/jpeg"),
            .file(.file(path: try folder.file("e", Data()), length: 0), name: "e", filename: "e", contentType: "a/b"),
        ]
        let form = try MultipartForm(parts: parts, boundary: Boundary("XbndX"))
        let reference = try allBytes(of: form)
        #expect(reference.count == Int(form.contentLength))
        for size in 1...(reference.count + 1) {
            #expect(try allBytes(of: form, chunk: size) == reference, "chunk size \(size)")
        }
    }

    @Test func `A reader of a form fills every chunk but the last, counts what it yields, and stays at the end`() throws
    {
        let form = try MultipartForm(
            parts: [plainFile(noise(200_000)), .text("v", name: "t")],
            boundary: Boundary("b")
        )
        var reader = try form.makeReader()
        var rest = Int(form.contentLength)
        while let chunk = try reader.read() {
            #expect(chunk.count == min(rest, 65_536))
            rest -= chunk.count
            #expect(reader.bytesRead == form.contentLength - UInt64(rest))
        }
        #expect(rest == 0)
        #expect(try reader.read() == nil)
    }

    @Test func `A reader of a form does not copy chunks that lie within a memory part`() throws {
        let content = noise(300_000)
        let form = try MultipartForm(parts: [plainFile(content)], boundary: Boundary("b"))
        var reader = try form.makeReader()
        _ = try reader.read(upTo: 1000)
        let chunk = try #require(try reader.read(upTo: 65_536))
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
        #expect(try allBytes(of: form, chunk: 64).range(of: Data(content)) != nil)
    }

    @Test func `A reader of a form fills the caller's memory`() throws {
        let form = try MultipartForm(parts: escapingVectorParts(), boundary: Boundary("XbndX"))
        var reader = try form.makeReader()
        var bytes = [UInt8](repeating: 0, count: 300)
        let count = try bytes.withUnsafeMutableBytes { try reader.read(into: $0) }
        #expect(count == 211)
        #expect(try Data(bytes[..<count]) == allBytes(of: form))
        let atEnd = try bytes.withUnsafeMutableBytes { try reader.read(into: $0) }
        #expect(atEnd == 0)
    }

    @Test func `A reader of a form is fresh each time and independent of its copies`() throws {
        let folder = try ScratchFolder()
        let form = try self.fileForm(folder.file("x", noise(1000)), length: 1000)
        let first = try allBytes(of: form)
        var original = try form.makeReader()
        let head = try #require(try original.read(upTo: 500))
        var copy = original
        let rest = try #require(try original.read(upTo: 5000))
        let copied = try #require(try copy.read(upTo: 5000))
        #expect(head + rest == first)
        #expect(copied == rest)
        #expect(try allBytes(of: form) == first)
    }

    @Test
    func `A reader of a form is refused before the first byte when a file is missing, no file, shorter or longer`()
        throws
    {
        let folder = try ScratchFolder()
        let path = try folder.file("x", noise(100))
        let fifo = folder.url.appending(path: "fifo").path
        #expect(mkfifo(fifo, 0o600) == 0)
        let table: [(String, Int, MultipartFormError.Code)] = [
            (path, 99, .sourceChanged), (path, 101, .sourceChanged), (path, 0, .sourceChanged),
            (folder.url.appending(path: "none").path, 100, .sourceUnreadable),
            (folder.url.path, 100, .sourceUnreadable),
            (fifo, 0, .sourceUnreadable),
        ]
        for (source, length, code) in table {
            let form = try self.fileForm(source, length: length)
            #expect(try formErrorCode { _ = try form.makeReader() } == code)
        }
    }

    /// What somebody does to the file while it is read.
    enum Tampering: CaseIterable {
        case truncated, grown, rewritten, replaced, removed
    }

    @Test(arguments: Tampering.allCases) func `A reader of a form fails when the file changes before its turn`(
        tampering: Tampering
    ) throws {
        let folder = try ScratchFolder()
        let path = try folder.file("x", noise(200_000))
        var reader = try self.fileForm(path, length: 200_000).makeReader()
        _ = try reader.read(upTo: 10)
        try Self.tamper(path, tampering)
        let expected: MultipartFormError.Code = tampering == .removed ? .sourceUnreadable : .sourceChanged
        #expect(try formErrorCode { while try reader.read() != nil {} } == expected)
        #expect(try formErrorCode { _ = try reader.read() } == expected, "the error is repeated")
    }

    @Test(arguments: [Tampering.truncated, .grown, .rewritten])
    func `A reader of a form fails when the file changes while it is read`(tampering: Tampering) throws {
        let folder = try ScratchFolder()
        let path = try folder.file("x", noise(200_000))
        var reader = try self.fileForm(path, length: 200_000).makeReader()
        _ = try reader.read(upTo: 100_000)
        try Self.tamper(path, tampering)
        #expect(try formErrorCode { while try reader.read() != nil {} } == .sourceChanged)
    }

    @Test func `A reader of a form notices a file that was empty and grew`() throws {
        let folder = try ScratchFolder()
        let path = try folder.file("x", Data())
        var reader = try self.fileForm(path, length: 0).makeReader()
        try Self.tamper(path, .grown)
        #expect(try formErrorCode { while try reader.read() != nil {} } == .sourceChanged)
    }

    @Test func `A reader of a form keeps reading an open file that was removed: its bytes are still there`() throws {
        let folder = try ScratchFolder()
        let path = try folder.file("x", noise(200_000))
        let form = try self.fileForm(path, length: 200_000)
        let reference = try allBytes(of: form)
        var reader = try form.makeReader()
        var bytes = try #require(try reader.read(upTo: 100_000))
        try Self.tamper(path, .removed)
        while let chunk = try reader.read() { bytes.append(chunk) }
        #expect(bytes == reference)
    }

    private static func tamper(_ path: String, _ tampering: Tampering) throws {
        let url = URL(filePath: path)
        if tampering == .removed { return try FileManager.default.removeItem(at: url) }
        if tampering == .replaced { return try noise(200_000, seed: 9).write(to: url, options: .atomic) }
        let handle = try FileHandle(forUpdating: url)
        defer { try? handle.close() }
        switch tampering {
        case .truncated:
            try handle.truncate(atOffset: 150_000)
        case .grown:
            try handle.seekToEnd()
            try handle.write(contentsOf: Data([0]))
        default:
            try handle.seek(toOffset: 199_000)
            try handle.write(contentsOf: noise(10, seed: 5))
            // The kernel's clock is coarse: make sure that the time of modification is another one.
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 1)],
                ofItemAtPath: path
            )
        }
    }
}
