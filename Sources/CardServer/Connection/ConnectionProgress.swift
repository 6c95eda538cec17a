/// Whether a body arrives fast enough: counts bytes and the time spent waiting for them.
///
/// Time in which the server does not read does not count: the client is not at fault for a slow disk. Times are
/// durations since any fixed moment.
struct BodyPace: Hashable, Sendable {
    private let limits: ConnectionLimits
    /// How long the server may still wait: the time earned by received bytes, less the time spent waiting.
    private var credit: Duration
    private var waitsSince: Duration?
    /// When the body must be complete, however fast it arrives; `nil` if only its pace counts.
    var timeLimit: Duration?

    init(limits: ConnectionLimits) {
        self.limits = limits
        self.credit = limits.bodyGrace
    }

    /// Starts waiting for bytes.
    mutating func beginWaiting(at time: Duration) { self.waitsSince = self.waitsSince ?? time }

    mutating func receive(_ count: Int, at time: Duration) {
        if let since = self.waitsSince { self.credit -= time - since }
        self.waitsSince = nil
        // Limited: otherwise a client that sends fast at first could then send single bytes for hours.
        let maximum = self.limits.bodyGrace + self.limits.bodyStandstill
        self.credit = min(maximum, self.credit + .seconds(count) / self.limits.bodyBytesPerSecond)
    }

    /// When the next byte must arrive; `nil` while the server does not wait for one.
    var deadline: Duration? {
        self.waitsSince.map { since in
            let paced = since + min(self.limits.bodyStandstill, self.credit)
            return self.timeLimit.map { min($0, paced) } ?? paced
        }
    }
}

/// The progress of a connection through its requests and answers: a pure state machine, without a clock or a socket.
///
/// Answers come in the order of the requests; a client may send the next request before it has the answer to the last.
struct ConnectionProgress: Sendable {
    /// What follows an answer.
    enum Ending: Hashable {
        case next
        case close
        /// Close, after input of the client has been discarded for a while.
        case linger
    }

    private let limits: ConnectionLimits
    /// The pace of the body that is being received; `nil` while a head is.
    private var body: BodyPace?
    /// Since when the server has waited for a head, or since when the head has been arriving.
    private var headSince: Duration
    private var headLimit: Duration
    /// The bytes of an incomplete head.
    private(set) var headBytes = 0
    /// How many heads and ends of requests have arrived.
    private(set) var steps = 0
    /// How many requests have arrived that are not answered.
    private(set) var unanswered = 0
    private var writesSince: Duration?
    /// How many answers are sent before the connection closes; `nil` while it stays open.
    private var answersLeft: Int?
    /// Whether input is ignored: it follows the last request that is answered.
    var ignoresInput = false
    /// Whether the connection closes once all output is flushed.
    var endsWhenFlushed = false
    /// Since when input is discarded.
    private(set) var lingersSince: Duration?

    /// Begins with a connection that was just opened: its first head is due soon.
    init(limits: ConnectionLimits, at time: Duration) {
        (self.limits, self.headSince, self.headLimit) = (limits, time, limits.headTime)
    }

    /// Whether the connection closes after the current answer, or the next one.
    var endsWithAnswer: Bool { self.answersLeft.map { $0 <= 1 } ?? false }

    /// Whether no further request is accepted.
    var isEnding: Bool { self.answersLeft != nil }

    /// Closes the connection after this number of answers, unless it closes sooner.
    mutating func close(after count: Int) { self.answersLeft = min(self.answersLeft ?? count, count) }

    /// Closes the connection once every request that has arrived is answered.
    mutating func closeAfterAnswers() { self.close(after: self.unanswered) }

    /// Whether the client has not yet received the whole of an answer.
    var isWriting: Bool { self.writesSince != nil }

    /// Whether a request has begun whose body is incomplete.
    var isInBody: Bool { self.body != nil }

    /// Counts raw bytes of an incomplete head; returns whether it is too large.
    mutating func receivePartOfHead(_ count: Int, at time: Duration) -> Bool {
        if self.headBytes == 0, self.unanswered == 0 { (self.headSince, self.headLimit) = (time, self.limits.headTime) }
        self.headBytes += count
        return self.headBytes > Limits.headBytes
    }

    mutating func receiveHead() {
        self.unanswered += 1
        self.steps += 1
        self.headBytes = 0
        self.body = BodyPace(limits: self.limits)
    }

    mutating func receiveBody(_ count: Int, at time: Duration) { self.body?.receive(count, at: time) }

    mutating func limitBody(until time: Duration) { self.body?.timeLimit = time }

    mutating func receiveEnd(at time: Duration) {
        self.body = nil
        self.steps += 1
        self.headBytes = 0
        (self.headSince, self.headLimit) = (time, self.limits.idleTime)
    }

    /// Starts waiting for more bytes of the body.
    mutating func beginWaiting(at time: Duration) { self.body?.beginWaiting(at: time) }

    /// Stops waiting for the rest of a body, and starts the time in which an answer must be written and read.
    mutating func abortBody(at time: Duration) {
        guard self.isInBody else { return }
        self.body = BodyPace(limits: self.limits)
        self.beginAnswer(at: time)
    }

    mutating func beginAnswer(at time: Duration) { self.writesSince = self.writesSince ?? time }

    /// Records that an answer was written completely, and returns what follows.
    mutating func endAnswer() -> Ending {
        self.unanswered = max(0, self.unanswered - 1)
        // Answered before its body was complete: the rest of the body must not be read as the next request.
        if self.unanswered == 0, self.isInBody { return .linger }
        defer { self.answersLeft = self.answersLeft.map { $0 - 1 } }
        return self.endsWithAnswer ? .close : .next
    }

    /// Records that all output has left this machine.
    mutating func flush(at time: Duration) {
        self.writesSince = nil
        if !self.isInBody, self.unanswered == 0, self.headBytes == 0 { self.headSince = time }
    }

    /// Discards input from now on.
    mutating func linger(at time: Duration) { self.lingersSince = self.lingersSince ?? time }

    /// The step that a client is too slow with.
    enum Overdue: Hashable {
        /// Nothing of the next request has arrived; or the time to discard input is over.
        case silence
        /// A head that has begun.
        case head
        case body
        /// The reading of an answer.
        case answer
    }

    /// The time of the next deadline, and what is overdue then; `nil` while the next step is the server's.
    var deadline: (at: Duration, overdue: Overdue)? {
        if let since = self.lingersSince { return (since + self.limits.lingerTime, .silence) }
        if let since = self.writesSince { return (since + self.limits.writeTime, .answer) }
        if let body = self.body { return body.deadline.map { ($0, .body) } }
        // The client need not send while the server prepares an answer.
        guard self.unanswered == 0 else { return nil }
        return (self.headSince + self.headLimit, self.headBytes == 0 ? .silence : .head)
    }
}
