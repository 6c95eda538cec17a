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

    /// Makes what feeds the body to a connection; each call feeds the same bytes from the first on.
    func makeStream(on loop: any EventLoop) throws(MultipartFormError) -> BodyStream {
        switch self {
        case .form(let form): BodyStream(source: .form(try form.makeReader()), loop: loop)
        case .bytes(let data, _): BodyStream(source: .bytes(data), loop: loop)
        }
    }
}

/// Feeds a body to a connection: one chunk is made when the connection has taken the one before.
struct BodyStream: Sendable {
    /// What is still to be sent.
    enum Source: Sendable {
        case form(MultipartForm.Reader)
        case bytes(Data)
    }

    let source: Source
    let loop: any EventLoop

    /// Writes so many bytes; the future completes when the last chunk is taken.
    func write(_ count: Int64, to writer: HTTPClient.Body.StreamWriter) -> EventLoopFuture<Void> {
        let done = self.loop.makePromise(of: Void.self)
        self.writeRest(of: self.source, count: count, to: writer, done: done)
        return done.futureResult
    }

    private func writeRest(
        of source: Source,
        count: Int64,
        to writer: HTTPClient.Body.StreamWriter,
        done: EventLoopPromise<Void>
    ) {
        let chunk: ByteBuffer
        let rest: Source
        do {
            (chunk, rest) = try Self.chunk(of: source)
        } catch {
            return done.fail(error)
        }
        guard chunk.readableBytes > 0 else { return done.succeed() }
        let missing = count - Int64(chunk.readableBytes)
        writer.write(.byteBuffer(chunk)).whenComplete { written in
            switch written {
            case .failure(let error): done.fail(error)
            // At once: between the last byte and the end of the request there must be no gap in which the reply comes in.
            case .success where missing <= 0: done.succeed()
            // By way of the loop: the stack does not grow, and the connection gets its turn to ask for a pause.
            case .success: self.loop.execute { self.writeRest(of: rest, count: missing, to: writer, done: done) }
            }
        }
    }

    /// Makes the next chunk, and what remains after it.
    private static func chunk(of source: Source) throws(MultipartFormError) -> (ByteBuffer, Source) {
        switch source {
        case .bytes(let data):
            return (ByteBuffer(bytes: data.prefix(Limits.chunkBytes)), .bytes(data.dropFirst(Limits.chunkBytes)))
        case .form(var reader):
            let chunk = try reader.read(upTo: Limits.chunkBytes)
            return (chunk.map { ByteBuffer(bytes: $0) } ?? ByteBuffer(), .form(reader))
        }
    }
}
