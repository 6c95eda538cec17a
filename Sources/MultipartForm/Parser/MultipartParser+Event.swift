public import FoundationEssentials

extension MultipartParser {
    /// What a parser found next.
    ///
    /// A part is ``partBegan(_:)``, any number of ``data(_:)`` and ``partEnded``; ``formEnded`` comes last and once.
    /// Only after it is the form known to be whole: what was stored before must not be used without it.
    public enum Event: Sendable, Hashable {
        /// A part's header lines are complete.
        case partBegan(PartHead)
        /// Some bytes of the part's content: never empty. Mostly a slice of the chunk that was appended, whose indices
        /// do not start at 0 and which keeps that chunk in memory as long as it lives.
        case data(Data)
        /// The part's content is complete.
        case partEnded
        /// The body is complete and all right.
        case formEnded
    }
}

extension MultipartParser.Event: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The kind and the length, never names or bytes.
    public var description: String {
        switch self {
        case .partBegan(let head): "partBegan(\(head))"
        case .data(let data): "data(\(data.count) bytes)"
        case .partEnded: "partEnded"
        case .formEnded: "formEnded"
        }
    }

    /// The same as ``description``.
    public var debugDescription: String { self.description }
    /// A mirror without names and bytes.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
