package import FoundationEssentials

extension MultipartForm {
    /// Makes a reader at the first byte; every reader of a form yields the same bytes.
    package func makeReader() -> Reader { Reader(segments: self.segments) }

    /// Reads the bytes of a form chunk by chunk; each chunk is assembled only when it is requested.
    ///
    /// A copy of a reader continues at the position of the original, independently of it.
    package struct Reader: Sendable {
        private let segments: [Data]
        private var index = 0
        private var position = 0

        init(segments: [Data]) { self.segments = segments }

        /// Whether all bytes were yielded.
        package var isAtEnd: Bool { self.index == self.segments.count }

        /// Yields the next bytes.
        ///
        /// Every chunk but the last has exactly `count` bytes. A chunk that lies within one part is a slice of it, not a
        /// copy: its indices do not start at 0.
        ///
        /// - Parameter count: The maximum number of bytes: at least 1.
        /// - Returns: The bytes, or `nil` at the end.
        package mutating func read(upTo count: Int) -> Data? {
            precondition(count > 0, "A chunk has at least 1 byte, not \(count).")
            guard !self.isAtEnd else { return nil }
            let first = self.next(count)
            if first.count == count { return first }
            var chunk = Data(first)
            while chunk.count < count, !self.isAtEnd { chunk.append(self.next(count - chunk.count)) }
            return chunk
        }

        /// Returns the next bytes of one segment: at most `count`.
        private mutating func next(_ count: Int) -> Data {
            let segment = self.segments[self.index]
            let piece = segment.dropFirst(self.position).prefix(count)
            self.position += piece.count
            if self.position == segment.count { (self.index, self.position) = (self.index + 1, 0) }
            return piece
        }
    }
}
