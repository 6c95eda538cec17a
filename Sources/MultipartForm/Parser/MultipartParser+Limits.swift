extension MultipartParser {
    /// How much of everything a parser takes from a stranger; each bound has its own error code.
    public struct Limits: Sendable, Hashable {
        /// The longest boundary, in characters: 70 (RFC 2046 section 5.1.1).
        public var boundaryCharacters = 70
        /// The most bytes of one part's header lines, line ends and the empty line included: 8 KiB.
        public var partHeaderBytes = 8_192
        /// The most header lines of one part: 16.
        public var partHeaderCount = 16
        /// The most parts: 100.
        public var partCount = 100
        /// The most bytes of one part's content: 32 MiB.
        public var partBytes: UInt64 = 32 << 20
        /// The most bytes of the whole body, and of a declared `Content-Length`: 64 MiB.
        public var totalBytes: UInt64 = 64 << 20
        /// The most bytes before the first boundary: 1 KiB.
        public var preambleBytes = 1_024
        /// The most bytes after the closing boundary's line: 1 KiB.
        public var epilogueBytes = 1_024
        /// The most spaces and tabs after one boundary: 64.
        public var paddingBytes = 64

        /// Sets the defaults.
        public init() {}
    }
}
