import CardModel
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// Reads the body of a request piece by piece, within a limit, and notices if it is not whole.
struct BodyReader {
    let request: Request
    let context: ServerContext
    let limit: Int
    /// What its bytes are counted against.
    var loan: ByteLoan?

    /// The declared length; `nil` if the framing alone tells it.
    var declaredLength: Int64? { self.request.headers[.contentLength].flatMap(Int64.init) }

    /// How many bytes the body has; `nil` if its framing alone tells it.
    ///
    /// - Throws: ``Problem``: `body_too_large`.
    func byteCount() throws -> Int? {
        guard let declared = self.declaredLength else { return nil }
        guard declared <= Int64(self.limit) else { throw self.tooLarge }
        return Int(declared)
    }

    /// Hands the pieces over one after the other.
    ///
    /// - Throws: ``Problem``: `body_too_large`, `content_coding_unsupported`, `body_truncated`, `body_timeout`; and
    ///   what `take` throws.
    func read(_ take: (ByteBuffer) async throws -> Void) async throws {
        _ = try self.byteCount()
        let codings = self.request.headers[values: .contentEncoding]
        guard codings.allSatisfy({ $0.lowercased() == "identity" }) else { throw Problem(.codingUnsupported) }
        // A client that waits for leave to send has it now.
        self.context.channel.triggerUserOutboundEvent(ConnectionSignal.readsBody, promise: nil)
        var count = 0
        defer { self.context.record.note { $0.bodyBytes = count } }
        for try await piece in self.request.body {
            count += piece.readableBytes
            guard count <= self.limit else { throw self.tooLarge }
            try self.loan?.grow(to: count)
            try await take(piece)
        }
        if let declared = self.declaredLength, declared != count { throw Problem.bodyTruncated }
    }

    private var tooLarge: Problem {
        Problem(.bodyTooLarge, .requestBodyLimit(self.limit), endsConnection: true)
    }
}

/// The bytes of one image as they come; what is none is refused as early as its first bytes tell.
struct ImageBytes {
    private(set) var bytes = Data()
    let limit: Int

    init(limit: Int) { self.limit = limit }

    /// - Throws: ``Problem``: `image_too_large_bytes`, `unsupported_format`, `unsupported_format_heic`.
    mutating func append(_ piece: some Collection<UInt8>) throws {
        try self.admit(piece.count)
        let isUnknown = self.bytes.count < ImageFormat.signatureByteCount
        self.bytes.append(contentsOf: piece)
        if isUnknown, self.bytes.count >= ImageFormat.signatureByteCount { try self.checkFormat() }
    }

    /// Takes the whole image from Base64.
    ///
    /// - Throws: ``Problem``: `image_invalid`, and as ``append(_:)``.
    mutating func take(base64 text: String) throws {
        let base64 = try Base64Text(text)
        try self.admit(base64.byteCount)
        self.bytes = try base64.decoded()
        if self.bytes.count >= ImageFormat.signatureByteCount { try self.checkFormat() }
    }

    private func admit(_ count: Int) throws {
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

    /// The first bytes decide, whatever the sender calls them.
    private func checkFormat() throws {
        let format = ImageFormat.sniff(self.bytes.prefix(ImageFormat.signatureByteCount))
        guard !format.isReadable else { return }
        let refusal = format.refusal(self.bytes)
        throw Problem(format == .heic ? .formatHEIC : .formatUnsupported, refusal.message)
    }
}
