import NIOCore

/// What the fault server does with one request.
enum FaultScript: Sendable {
    /// What happens to the connection once an early reply is out.
    enum AfterEarlyReply: String, CaseIterable, Sendable {
        /// Closes although more of the body is coming: the kernel answers it with a reset.
        case close
        /// Takes in the rest of the body.
        case drain
        /// Sends an end of stream and reads no more.
        case halfClose
        /// Neither reads nor closes.
        case stall
    }

    /// Answers when the request is complete; the text is the whole reply, head and body.
    case reply(String)
    /// Answers, and ends the connection.
    case replyAndClose(String)
    /// Answers, and resets the connection behind it.
    case replyAndReset(String)
    /// Answers byte by byte.
    case drip(String)
    /// Answers when the head is in, before the body has ended.
    case earlyReply(String, then: AfterEarlyReply)
    /// Resets the connection when this many bytes of the body have come.
    case reset(afterBodyBytes: Int)
    /// Ends the connection when the request is complete.
    case close
    /// Reads the request and stays silent.
    case silence
    /// Stops reading at the head, calls the closure, then goes on and answers.
    case atHead(@Sendable () -> Void, reply: String)
}

/// The text of a reply.
func replyText(_ status: String, headers: [String] = [], body: String = "") -> String {
    let lines = ["HTTP/1.1 \(status)", "Content-Length: \(body.utf8.count)"] + headers
    return lines.joined(separator: "\r\n") + "\r\n\r\n" + body
}
