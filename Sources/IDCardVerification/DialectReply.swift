import IDCardCore
import OutboundHTTP

/// Reads what a dialect answers when it answers with a reading; errors are alike in all dialects.
///
/// Lenient: keys may be missing and unknown ones are passed over, a number may come as text and a text as a number.
protocol DialectReply {
    /// Whether an object carries a mark of this dialect, one that no other has.
    static func recognises(_ members: [String: JSONValue]) -> Bool

    /// Whether an object that carries no dialect's mark is this dialect's way of saying that there is no card.
    static func isNoCard(_ members: [String: JSONValue]) -> Bool

    /// Makes a reading of an object for which one of the others says yes.
    static func reading(_ members: [String: JSONValue]) -> CardReading
}

extension DialectReply {
    /// No: without its mark it is not this dialect's.
    static func isNoCard(_ members: [String: JSONValue]) -> Bool { false }
}
