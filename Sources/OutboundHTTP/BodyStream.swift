import AsyncHTTPClient
import Dispatch
import IDCardMultipartForm
import NIOCore

/// Feeds a body to a connection: one chunk is read when the connection has taken the one before, so memory does not
/// grow with the body.
struct BodyStream: Sendable {
    /// The bytes read and handed over at a time.
    static let chunkSize = MultipartForm.defaultChunkSize

    private let reader: BodyReader
    private let readsFiles: Bool
    private let loop: any EventLoop

    /// Prepares the body of one request.
    ///
    /// - Parameters:
    ///   - body: what is sent.
    ///   - loop: the event loop of the connection.
    /// - Throws: `MultipartFormError`: `source_unreadable` or `source_changed`.
    init(_ body: UploadBody, on loop: any EventLoop) throws(MultipartFormError) {
        self.reader = try body.makeReader()
        self.readsFiles = body.readsFiles
        self.loop = loop
    }

    /// Writes all bytes; the future completes when the last chunk is taken.
    func stream(to writer: HTTPClient.Body.StreamWriter) -> EventLoopFuture<Void> {
        let done = self.loop.makePromise(of: Void.self)
        self.writeRest(from: self.reader, to: writer, done: done)
        return done.futureResult
    }

    private func writeRest(
        from reader: BodyReader,
        to writer: HTTPClient.Body.StreamWriter,
        done: EventLoopPromise<Void>
    ) {
        self.nextChunk(of: reader).whenComplete { result in
            switch result {
            case .failure(let error):
                done.fail(error)
            case .success((nil, _)):
                done.succeed()
            case .success((let chunk?, let rest)):
                writer.write(.byteBuffer(chunk)).whenComplete { written in
                    switch written {
                    case .failure(let error): done.fail(error)
                    // At once: between the last byte and the end of the request there must be no gap in which the
                    // reply comes in.
                    case .success where rest.remaining == 0: done.succeed()
                    // By way of the loop: the stack does not grow, and the connection gets its turn to ask for a pause.
                    case .success: self.loop.execute { self.writeRest(from: rest, to: writer, done: done) }
                    }
                }
            }
        }
    }

    /// Reads the next chunk, and the reader that stands after it.
    private func nextChunk(of reader: BodyReader) -> EventLoopFuture<(ByteBuffer?, BodyReader)> {
        guard self.readsFiles else {
            return self.loop.makeCompletedFuture { try Self.read(from: reader) }
        }
        // Reading a file blocks, and an event loop must not.
        let promise = self.loop.makePromise(of: (ByteBuffer?, BodyReader).self)
        DispatchQueue.global().async {
            promise.completeWith(Result { try Self.read(from: reader) })
        }
        return promise.futureResult
    }

    private static func read(from reader: BodyReader) throws -> (ByteBuffer?, BodyReader) {
        var reader = reader
        var buffer = ByteBufferAllocator().buffer(capacity: self.chunkSize)
        let count = try buffer.writeWithUnsafeMutableBytes(minimumWritableBytes: self.chunkSize) { space in
            try reader.read(into: UnsafeMutableRawBufferPointer(rebasing: space.prefix(self.chunkSize)))
        }
        return (count > 0 ? buffer : nil, reader)
    }
}
