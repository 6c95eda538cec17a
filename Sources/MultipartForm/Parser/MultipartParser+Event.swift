package import FoundationEssentials

extension MultipartParser {
    /// A token of the body.
    ///
    /// A part is ``partBegan(_:)``, any number of ``data(_:)`` and ``partEnded``; ``formEnded`` comes last and once.
    /// Only this event proves that the form is complete: data stored before it must not be used without it.
    package enum Event: Sendable, Hashable {
        case partBegan(PartHead)
        /// Some bytes of the part's content, never empty; mostly a slice of the appended chunk. The indices of a slice do not
        /// start at 0, and as long as it lives, it keeps the chunk in memory.
        case data(Data)
        case partEnded
        /// The body is complete and well-formed.
        case formEnded
    }

    /// The limits for bodies from untrusted clients.
    package struct Limits: Sendable, Hashable {
        /// The longest boundary, in characters: 70 (RFC 2046 section 5.1.1).
        package var boundaryCharacters = 70
        /// The maximum bytes of one part's header lines, line ends and the empty line included: 8 KiB.
        package var partHeaderBytes = 8_192
        /// The maximum header lines of one part: 16.
        package var partHeaderCount = 16
        /// The maximum parts: 100.
        package var partCount = 100
        /// The maximum bytes of one part's content: 32 MiB.
        package var partBytes: UInt64 = 32 << 20
        /// The maximum bytes of the body: 64 MiB.
        package var totalBytes: UInt64 = 64 << 20
        /// The maximum bytes before the first boundary: 1 KiB.
        package var preambleBytes = 1_024
        /// The maximum bytes after the closing boundary's line: 1 KiB.
        package var epilogueBytes = 1_024
        /// The maximum spaces and tabs after one boundary: 64.
        package var paddingBytes = 64

        package init() {}
    }
}

extension MultipartParser.Event: SelfRedacting {
    /// The kind and the length, never names or bytes.
    package var description: String {
        switch self {
        case .partBegan(let head): "partBegan(\(head))"
        case .data(let data): "data(\(data.count) bytes)"
        case .partEnded: "partEnded"
        case .formEnded: "formEnded"
        }
    }
}
