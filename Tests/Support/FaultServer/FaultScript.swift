/// What the fault server does with one request.
package enum FaultScript: Sendable {
    /// What happens to the connection once an early reply is out.
    package enum AfterEarlyReply: String, CaseIterable, Sendable {
        /// Closes although more of the body is coming: the kernel answers it with a reset.
        case close
        /// Takes in the rest of the body.
        case drain
        /// Sends an end of stream and reads no more.
        case halfClose
        /// Neither reads nor closes.
        case stall
    }

    /// How a connection ends without a reply.
    package enum Ending: String, CaseIterable, Sendable {
        /// With an end of stream (FIN).
        case close
        /// With a reset (RST).
        case reset
        /// Not at all: the connection stays open and silent.
        case silence
        /// With an end of stream that TLS does not announce.
        case cutOff
    }

    /// Answers when the request is complete.
    case reply(FaultReply)
    /// Answers with what a function makes of the complete request: for scripted verifiers and backends. It is called on
    /// an event loop and must not block.
    case answer(@Sendable (ReceivedRequest) -> FaultReply)
    /// Answers with what a function makes of the complete request once it returns: it may wait for an event.
    case answerLater(@Sendable (ReceivedRequest) async -> FaultReply)
    /// Answers with what a function makes of the complete request, and then ends the connection; with no ending the next
    /// request may come.
    case answerThen(@Sendable (ReceivedRequest) -> (FaultReply, Ending?))
    /// Answers, and sends what a function returns without having been asked, once it returns: it may wait for an event.
    case replyThenMore(FaultReply, more: @Sendable () async -> FaultReply, sent: @Sendable () -> Void = {})
    /// Answers, and ends the connection without having announced it.
    case replyAndClose(FaultReply)
    /// Answers when the head is in, before the body has ended.
    case earlyReply(FaultReply, then: AfterEarlyReply)
    /// Resets the connection when so many bytes of the body have come; 0 is the end of the headers.
    case reset(atBodyByte: Int)
    /// Stops reading when so many bytes of the body have come, and never answers, so that the sender's writes no longer
    /// get through.
    case stall(atBodyByte: Int)
    /// Takes the complete request, calls the closure with it, and then loses the answer.
    case commit(@Sendable (ReceivedRequest) -> Void, then: Ending)
    /// Ends the connection when the request is complete.
    case close
    /// Reads the request and stays silent.
    case silence
}
