import AsyncHTTPClient
import CardModel
import Foundation
import MultipartForm
import NIOCore

enum RequestBody: Sendable {
    /// A form, which determines the content type.
    case form(MultipartForm)
    case bytes(Data, contentType: String)

    var length: Int64 {
        switch self {
        case .form(let form): Int64(form.contentLength)
        case .bytes(let data, _): Int64(data.count)
        }
    }

    var contentType: String {
        switch self {
        case .form(let form): form.contentType
        case .bytes(_, let contentType): contentType
        }
    }

    /// Returns the body as a type of async-http-client, with its exact length; always the same bytes.
    func forLibrary(on loop: any EventLoop) -> HTTPClient.Body {
        switch self {
        case .bytes(let data, _): return .byteBuffer(ByteBuffer(bytes: data))
        case .form(let form):
            let stream = FormStream(reader: form.makeReader(), loop: loop)
            return .stream(contentLength: self.length) { stream.write(to: $0) }
        }
    }
}

/// Writes a form to a connection, and makes each chunk only when the connection has accepted the previous one.
private struct FormStream: Sendable {
    var reader: MultipartForm.Reader
    let loop: any EventLoop

    /// Writes the form; the future completes when the connection has accepted the last chunk.
    func write(to writer: HTTPClient.Body.StreamWriter) -> EventLoopFuture<Void> {
        let done = self.loop.makePromise(of: Void.self)
        self.writeRemaining(to: writer, done: done)
        return done.futureResult
    }

    /// Writes the next chunk, and the others once the connection has accepted it.
    private func writeRemaining(to writer: HTTPClient.Body.StreamWriter, done: EventLoopPromise<Void>) {
        var remaining = self
        guard let chunk = remaining.reader.read(upTo: Limits.chunkBytes) else { return done.succeed() }
        writer.write(.byteBuffer(ByteBuffer(bytes: chunk))).whenComplete { [remaining] written in
            switch written {
            case .failure(let error): done.fail(error)
            // At once, so that no reply comes between the last byte and the end of the request.
            case .success where remaining.reader.isAtEnd: done.succeed()
            // Later on the loop, so that the stack does not grow, and the connection can ask for a pause.
            case .success: self.loop.execute { remaining.writeRemaining(to: writer, done: done) }
            }
        }
    }
}

/// A header that a caller adds to a request.
struct HeaderField: Sendable {
    let name: String
    /// The value; may be a secret.
    let value: Redacted<String>

    /// Checks a header (RFC 9110 section 5).
    ///
    /// - Throws: the reason why the header cannot be sent; it may name the header, never the value.
    init(_ name: String, _ value: String) throws(Message) {
        // The name must be a token (RFC 9110 section 5.6.2).
        guard !name.isEmpty, name.utf8.allSatisfy(\.isTokenByte) else { throw .httpHeaderName }
        guard value.utf8.allSatisfy({ (0x20...0x7E).contains($0) }), value == value.trimmed else {
            throw .httpHeaderValue(name)
        }
        self.name = name
        self.value = Redacted(value)
    }
}
