import CardModel
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// Reads the body of a request piece by piece, within a limit, and checks that it is complete.
struct BodyReader {
    let request: Request
    let context: ServerContext
    let limit: Int
    /// The loan that covers the bytes of the body.
    var loan: ByteLoan?

    /// The length in `Content-Length`; `nil` without that field.
    var declaredLength: Int64? { self.request.headers[.contentLength].flatMap(Int64.init) }

    /// The number of bytes of the body; `nil` if it is not declared.
    ///
    /// - Throws: ``Problem``: `body_too_large`.
    func byteCount() throws -> Int? {
        guard let declared = self.declaredLength else { return nil }
        guard declared <= Int64(self.limit) else { throw self.tooLarge }
        return Int(declared)
    }

    /// Passes the pieces on, one after another.
    ///
    /// - Throws: ``Problem``: `body_too_large`, `content_coding_unsupported`, `body_truncated`, `body_timeout`; and
    ///   what `consume` throws.
    func read(_ consume: (ByteBuffer) async throws -> Void) async throws {
        _ = try self.byteCount()
        let codings = self.request.headers[values: .contentEncoding]
        guard codings.allSatisfy({ $0.lowercased() == "identity" }) else { throw Problem(.codingUnsupported) }
        // A client that waits for 100 gets it now.
        self.context.channel.triggerUserOutboundEvent(ConnectionSignal.readsBody, promise: nil)
        var count = 0
        defer { self.context.record.update { $0.bodyBytes = count } }
        for try await piece in self.request.body {
            count += piece.readableBytes
            guard count <= self.limit else { throw self.tooLarge }
            try self.loan?.grow(to: count)
            try await consume(piece)
        }
        if let declared = self.declaredLength, declared != count { throw Problem.bodyTruncated }
    }

    private var tooLarge: Problem { Problem(.bodyTooLarge, .requestBodyLimit(self.limit), endsConnection: true) }
}

/// Collects an image; refuses it as soon as its first bytes are neither JPEG nor PNG.
struct ImageBytes {
    private(set) var bytes = Data()
    let limit: Int

    /// - Throws: ``Problem``: `image_too_large_bytes`, `unsupported_format`, `unsupported_format_heic`.
    mutating func append(_ piece: some Collection<UInt8>) throws {
        try self.checkSize(adding: piece.count)
        let isUnknown = self.bytes.count < ImageFormat.signatureByteCount
        self.bytes.append(contentsOf: piece)
        if isUnknown, self.bytes.count >= ImageFormat.signatureByteCount { try self.checkFormat() }
    }

    /// Decodes the whole image from Base64.
    ///
    /// - Throws: ``Problem``: `image_invalid`, and as ``append(_:)``.
    mutating func decode(base64 text: String) throws {
        let base64 = try Base64Text(text)
        try self.checkSize(adding: base64.byteCount)
        self.bytes = try base64.decoded()
        if self.bytes.count >= ImageFormat.signatureByteCount { try self.checkFormat() }
    }

    private func checkSize(adding count: Int) throws {
        guard self.bytes.count + count <= self.limit else {
            throw Problem(.imageTooLarge, .requestImageLimit(self.limit), endsConnection: true)
        }
    }

    /// Returns the whole image.
    ///
    /// - Throws: ``Problem``: `image_empty`, `unsupported_format`, `unsupported_format_heic`.
    func finish() throws -> Data {
        guard !self.bytes.isEmpty else { throw Problem(.imageEmpty) }
        if self.bytes.count < ImageFormat.signatureByteCount { try self.checkFormat() }
        return self.bytes
    }

    /// Checks the first bytes, whatever type the client declares.
    private func checkFormat() throws {
        let format = ImageFormat.sniff(self.bytes.prefix(ImageFormat.signatureByteCount))
        guard !format.isReadable else { return }
        let refusal = format.refusal(self.bytes)
        throw Problem(format == .heic ? .formatHEIC : .formatUnsupported, refusal.message)
    }
}

/// The Base64 of an image (RFC 4648 section 4, with padding), as clients write it: a `data:…,` before it, line breaks in
/// it and blanks around it are ignored.
struct Base64Text {
    private let text: Substring.UTF8View
    /// The number of bytes after decoding.
    let byteCount: Int

    /// - Throws: ``Problem``: `image_invalid`.
    init(_ text: String) throws {
        var remaining = text[...].utf8.drop(while: Self.isSpace)
        if String(decoding: remaining.prefix(5), as: UTF8.self).lowercased() == "data:",
            let comma = remaining.firstIndex(of: UInt8(ascii: ","))
        {
            remaining = remaining[comma...].dropFirst().drop(while: Self.isSpace)
        }
        while let last = remaining.last, Self.isSpace(last) { remaining.removeLast() }
        var (digits, padding) = (0, 0)
        for byte in remaining {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
                guard padding == 0 else { throw Self.cutOff }
                digits += 1
            case _ where Self.isLineBreak(byte): break
            case UInt8(ascii: "="): padding += 1
            case UInt8(ascii: " "): throw Self.invalid(.base64Blank)
            case UInt8(ascii: "-"), UInt8(ascii: "_"): throw Self.invalid(.base64URLAlphabet)
            default: throw Self.invalid(.base64Character)
            }
        }
        guard padding <= 2, (digits + padding).isMultiple(of: 4) else { throw Self.cutOff }
        self.text = remaining
        self.byteCount = (digits + padding) / 4 * 3 - padding
    }

    /// Decodes the bytes without a copy of the text, which is long.
    func decoded() throws -> Data {
        let bytes = self.text.withContiguousStorageIfAvailable { text -> Data? in
            guard let start = UnsafeMutableRawPointer(mutating: text.baseAddress) else { return Data() }
            let lines = Data(bytesNoCopy: start, count: text.count, deallocator: .none)
            return Data(base64Encoded: lines, options: .ignoreUnknownCharacters)
        }
        guard let bytes = bytes ?? nil else { throw Self.cutOff }
        return bytes
    }

    private static let cutOff = Self.invalid(.base64CutOff)

    private static func invalid(_ detail: Message) -> Problem { Problem(.imageInvalid, detail) }

    private static func isLineBreak(_ byte: UInt8) -> Bool { [0x09, 0x0A, 0x0D].contains(byte) }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || self.isLineBreak(byte) }
}
