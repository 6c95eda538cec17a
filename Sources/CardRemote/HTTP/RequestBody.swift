import AsyncHTTPClient
import Foundation
import MultipartForm
import NIOCore

/// The body of a request, which lies in memory: a form, or bytes as they are.
enum RequestBody: Sendable {
    /// A form; it brings its own content type.
    case form(MultipartForm)
    /// Bytes as they are.
    case bytes(Data, contentType: String)

    /// The length in bytes.
    var length: Int64 {
        switch self {
        case .form(let form): Int64(clamping: form.contentLength)
        case .bytes(let data, _): Int64(data.count)
        }
    }

    /// The value of `Content-Type`.
    var contentType: String {
        switch self {
        case .form(let form): form.contentType
        case .bytes(_, let contentType): contentType
        }
    }

    /// The same in the terms of async-http-client, with the exact length; each time the same bytes.
    func forLibrary(on loop: any EventLoop) throws(MultipartFormError) -> HTTPClient.Body {
        switch self {
        case .bytes(let data, _):
            return .byteBuffer(ByteBuffer(bytes: data))
        case .form(let form):
            let stream = FormStream(reader: try form.makeReader(), missing: self.length, loop: loop)
            return .stream(contentLength: self.length) { stream.write(to: $0) }
        }
    }
}

/// Feeds a form to a connection: one chunk is made when the connection has taken the one before.
private struct FormStream: Sendable {
    var reader: MultipartForm.Reader
    var missing: Int64
    let loop: any EventLoop

    /// Writes the form; the future completes when the last chunk is taken.
    func write(to writer: HTTPClient.Body.StreamWriter) -> EventLoopFuture<Void> {
        let done = self.loop.makePromise(of: Void.self)
        self.writeRest(to: writer, done: done)
        return done.futureResult
    }

    private func writeRest(to writer: HTTPClient.Body.StreamWriter, done: EventLoopPromise<Void>) {
        var rest = self
        let chunk: Data?
        do {
            chunk = try rest.reader.read(upTo: Limits.chunkBytes)
        } catch {
            return done.fail(error)
        }
        guard let chunk else { return done.succeed() }
        rest.missing -= Int64(chunk.count)
        writer.write(.byteBuffer(ByteBuffer(bytes: chunk))).whenComplete { [rest] written in
            switch written {
            case .failure(let error): done.fail(error)
            // At once: between the last byte and the end of the request there must be no gap in which the reply comes in.
            case .success where rest.missing <= 0: done.succeed()
            // By way of the loop: the stack does not grow, and the connection gets its turn to ask for a pause.
            case .success: self.loop.execute { rest.writeRest(to: writer, done: done) }
            }
        }
    }
}
