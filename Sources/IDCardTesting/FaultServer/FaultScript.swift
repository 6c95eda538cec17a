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
    }

    /// Answers when the request is complete.
    case reply(FaultReply)
    /// Answers with what a function makes of the complete request: for scripted verifiers and backends. It is called
    /// on an event loop and must not block.
    case answer(@Sendable (ReceivedRequest) -> FaultReply)
    /// Answers as `answer` does and ends the connection, or leaves it silent: what is missing of an announced body never
    /// comes.
    case answerThen(@Sendable (ReceivedRequest) -> (FaultReply, Ending))
    /// Answers as `answer` does, but only so many requests at a time.
    case throttled(ConcurrencyGate, @Sendable (ReceivedRequest) -> FaultReply)
    /// Answers, and ends the connection without having announced it.
    case replyAndClose(FaultReply)
    /// Answers, and resets the connection behind it.
    case replyAndReset(FaultReply)
    /// Answers byte by byte, with a pause between.
    case drip(FaultReply, pauseMilliseconds: Int = 0)
    /// Answers when the head is in, before the body has ended.
    case earlyReply(FaultReply, then: AfterEarlyReply)
    /// Resets the connection at a point.
    case reset(at: FaultPoint)
    /// Stops reading at a point and never answers, so that the sender's writes no longer get through.
    case stall(at: FaultPoint)
    /// Takes the complete request, calls the closure with it, and then loses the answer.
    case commit(@Sendable (ReceivedRequest) -> Void, then: Ending)
    /// Ends the connection when the request is complete.
    case close
    /// Reads the request and stays silent.
    case silence
    /// Stops reading at the head, calls the closure, then goes on and answers.
    case atHead(@Sendable () -> Void, reply: FaultReply)
    /// Takes the body slowly, and answers when it is complete.
    case slow(SlowReading, reply: FaultReply)
}
