public import FoundationEssentials

/// The events of a body that arrives as chunks, one at a time: the next chunk is awaited when the one before is used up.
///
/// ```swift
/// let parser = try MultipartParser(contentType: header, contentLength: length)
/// for try await event in MultipartEvents(chunks: body, parser: parser) {
///     switch event {
///     case .partBegan(let head): try open(head)
///     case .data(let bytes): try write(bytes)
///     case .partEnded: try close()
///     case .formEnded: try commit()
///     }
/// }
/// ```
public struct MultipartEvents<Chunks: AsyncSequence>: AsyncSequence where Chunks.Element == Data {
    /// The same as ``MultipartParser/Event``.
    public typealias Element = MultipartParser.Event

    private let chunks: Chunks
    private let parser: MultipartParser

    /// Joins a body and a parser.
    ///
    /// - Parameters:
    ///   - chunks: The body's bytes.
    ///   - parser: A parser that has seen none of them.
    public init(chunks: Chunks, parser: MultipartParser) {
        self.chunks = chunks
        self.parser = parser
    }

    /// Starts at the first chunk.
    public func makeAsyncIterator() -> Iterator {
        Iterator(chunks: self.chunks.makeAsyncIterator(), parser: self.parser)
    }

    /// Pulls the events.
    public struct Iterator: AsyncIteratorProtocol {
        private var chunks: Chunks.AsyncIterator
        private var parser: MultipartParser
        private var isFinished = false

        init(chunks: Chunks.AsyncIterator, parser: MultipartParser) {
            self.chunks = chunks
            self.parser = parser
        }

        /// Gives the next event, or `nil` after ``MultipartParser/Event/formEnded``.
        ///
        /// - Throws: ``MultipartFormError``, or what the chunks throw.
        public mutating func next(
            isolation actor: isolated (any Actor)?
        ) async throws -> MultipartParser.Event? {
            while true {
                if let event = try self.parser.next() { return event }
                if self.isFinished { return nil }
                if let chunk = try await self.chunks.next(isolation: actor) {
                    self.parser.append(chunk)
                } else {
                    self.parser.finish()
                    self.isFinished = true
                }
            }
        }

        /// Gives the next event, or `nil` after ``MultipartParser/Event/formEnded``.
        ///
        /// - Throws: ``MultipartFormError``, or what the chunks throw.
        public mutating func next() async throws -> MultipartParser.Event? {
            try await self.next(isolation: #isolation)
        }
    }
}

extension MultipartEvents: Sendable where Chunks: Sendable {}
