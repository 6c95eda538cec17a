import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// Reads the body of a request piece by piece, within a limit, and notices if it is not whole.
struct BodyReader {
    let request: Request
    let context: ServerContext
    /// The most bytes.
    let limit: Int

    /// The declared length; `nil` if it is told by the framing alone.
    var declaredLength: Int64? { self.request.headers[.contentLength].flatMap(Int64.init) }

    /// Checks what can be known before the first byte.
    ///
    /// - Throws: ``Problem``: `body_too_large` or `content_coding_unsupported`.
    func check() throws {
        if let declared = self.declaredLength, declared > Int64(self.limit) { throw self.tooLarge }
        let codings = self.request.headers[values: .contentEncoding]
        guard codings.allSatisfy({ $0.lowercased() == "identity" }) else { throw Problem(.codingUnsupported) }
    }

    /// Hands the pieces over one after the other.
    ///
    /// - Throws: ``Problem``: as ``check()``, also `body_truncated` and `body_timeout`; and what `take` throws.
    func read(_ take: (ByteBuffer) async throws -> Void) async throws {
        try self.check()
        // A client that waits for leave to send has it now.
        self.context.channel.triggerUserOutboundEvent(ContinueSignal(), promise: nil)
        var count = 0
        defer { self.context.exchange.note { $0.bodyBytes = count } }
        for try await piece in self.request.body {
            count += piece.readableBytes
            guard count <= self.limit else { throw self.tooLarge }
            try await take(piece)
        }
        if let declared = self.declaredLength, declared != count { throw BodyTruncation() }
    }

    /// Gathers a body that is small.
    func collect() async throws -> Data {
        var body = Data()
        try await self.read { body.append(contentsOf: $0.readableBytesView) }
        return body
    }

    private var tooLarge: Problem {
        Problem(.bodyTooLarge, "At most \(self.limit) bytes are read.", endsConnection: true)
    }
}
