import Foundation
import MultipartForm
import Testing

/// The parts of the byte vector that node 20.20.2 produced: hostile names, a value with lone line breaks, a file in
/// CJK.
func escapingVectorParts() -> [MultipartForm.Part] {
    [
        .text("v\r1\n2", name: "a\nb\"c\\d%22"),
        .file(Data("DATA".utf8), name: "文", filename: "b\nc\"d\\e 护照.jpg", contentType: "image/jpeg"),
    ]
}

/// One file part with the header of 90 bytes used by the length vectors.
func plainFile(_ content: Data) -> MultipartForm.Part {
    .file(content, name: "f", filename: "plain.jpg", contentType: "image/jpeg")
}

/// Reads a form to its end.
func allBytes(of form: MultipartForm, chunk: Int = 65_536) -> Data {
    var reader = form.makeReader()
    var result = Data()
    while let data = reader.read(upTo: chunk) {
        #expect(data.count <= chunk && !data.isEmpty)
        result.append(data)
    }
    return result
}

extension Data {
    /// Whether these bytes lie in the memory of others, and are no copy.
    func lies(in other: Data) -> Bool {
        other.withUnsafeBytes { whole in
            self.withUnsafeBytes { part in
                guard let start = whole.baseAddress, let inner = part.baseAddress else { return false }
                return inner >= start && inner + part.count <= start + whole.count
            }
        }
    }
}

/// The code of the form error a block throws, or `nil` when it throws none.
func formErrorCode(_ body: () throws -> Void) throws -> MultipartFormError.Code? {
    do {
        try body()
        return nil
    } catch let error as MultipartFormError {
        return error.code
    }
}

/// A folder that lives as long as the value.
final class ScratchFolder {
    let url: URL

    init() throws {
        self.url = FileManager.default.temporaryDirectory.appending(path: "multipart-form-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: self.url, withIntermediateDirectories: false)
    }

    deinit {
        try? FileManager.default.removeItem(at: self.url)
    }

    /// Writes a file and gives its path.
    func file(_ name: String, _ content: Data) throws -> String {
        let url = self.url.appending(path: name)
        try content.write(to: url)
        return url.path
    }
}

/// Bytes that look random and are the same in every run (xorshift).
func noise(_ count: Int, seed: UInt64 = 1) -> Data {
    var state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
    return Data(
        (0..<count).map { _ in
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return UInt8(truncatingIfNeeded: state >> 24)
        }
    )
}
