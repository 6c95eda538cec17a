/// Whether a body comes fast enough: a pure account of bytes, and of the time in which they were waited for.
///
/// Time in which nobody here wanted bytes does not count: a slow disk is no fault of the sender's. Times are durations
/// since any one moment.
struct BodyPace: Hashable, Sendable {
    private let limits: ConnectionLimits
    /// For how long bytes may still be waited for: what those that came have earned, less what was used up.
    private var credit: Duration
    private var waitsSince: Duration?
    /// When it must be whole, however fast it comes; `nil` if its pace alone counts.
    var end: Duration?

    init(limits: ConnectionLimits) {
        self.limits = limits
        self.credit = limits.bodyGrace
    }

    /// Somebody wants bytes from now on.
    mutating func wait(at time: Duration) { self.waitsSince = self.waitsSince ?? time }

    mutating func receive(_ count: Int, at time: Duration) {
        if let since = self.waitsSince { self.credit -= time - since }
        self.waitsSince = nil
        // Capped, or a sender who sends fast at first could hold for hours what then only drips.
        let most = self.limits.bodyGrace + self.limits.bodyStandstill
        self.credit = min(most, self.credit + .seconds(count) / self.limits.bodyBytesPerSecond)
    }

    /// Until when the next byte must come; `nil` while nobody waits for it.
    var deadline: Duration? {
        self.waitsSince.map { since in
            let paced = since + min(self.limits.bodyStandstill, self.credit)
            return self.end.map { min($0, paced) } ?? paced
        }
    }
}

/// Where a connection stands between its requests and answers: a pure state machine, without a clock or a socket.
///
/// Answers come in the order of the requests; a client may send the next request before it has the answer to the last.
struct ConnectionProgress: Sendable {
    /// What the end of an answer is followed by.
    enum Ending: Hashable {
        case next
        case close
        /// The end of the connection, after what the client still sends has been read away for a while.
        case linger
    }

    private let limits: ConnectionLimits
    /// How the body comes that is being received; `nil` while a head is.
    private var body: BodyPace?
    /// Since when a head is waited for; with its first byte, since that.
    private var headSince: Duration
    private var headLimit: Duration
    /// The bytes of a head that is not whole yet.
    private(set) var headBytes = 0
    /// How many heads and ends of requests have come.
    private(set) var steps = 0
    /// How many requests have come whose answers have not gone.
    private(set) var unanswered = 0
    private var writesSince: Duration?
    /// How many answers still go before the connection ends; `nil` while it goes on.
    private var answersLeft: Int?
    /// Whether what comes is ignored: it follows the last request that is answered.
    var ignoresInput = false
    /// Whether nothing more is to be said here, so that the connection ends with what is on its way.
    var endsWhenFlushed = false
    /// Since when what still comes is read away.
    private(set) var lingersSince: Duration?

    /// A connection that was just opened: its first head is due soon.
    init(limits: ConnectionLimits, at time: Duration) {
        (self.limits, self.headSince, self.headLimit) = (limits, time, limits.headTime)
    }

    /// Whether the answer under way, or the next one, ends the connection.
    var endsWithAnswer: Bool { self.answersLeft.map { $0 <= 1 } ?? false }

    /// Whether no further request is taken.
    var isEnding: Bool { self.answersLeft != nil }

    /// Ends the connection after so many answers, unless it ends sooner.
    mutating func end(after count: Int) { self.answersLeft = min(self.answersLeft ?? count, count) }

    /// Ends it once every request that has come is answered.
    mutating func endAfterAnswers() { self.end(after: self.unanswered) }

    /// Whether an answer is on its way that the client has not taken yet.
    var isWriting: Bool { self.writesSince != nil }

    /// Whether a request has begun whose body is not whole.
    var isInBody: Bool { self.body != nil }

    /// Raw bytes came, and no head is whole by them; returns whether they are too many.
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

    mutating func limitBody(until time: Duration) { self.body?.end = time }

    mutating func receiveEnd(at time: Duration) {
        self.body = nil
        self.steps += 1
        self.headBytes = 0
        (self.headSince, self.headLimit) = (time, self.limits.idleTime)
    }

    /// Somebody here wants more bytes.
    mutating func wait(at time: Duration) { self.body?.wait(at: time) }

    /// The rest of a body is not waited for any more; an answer must go out in the time that one may take to be read.
    mutating func giveBodyUp(at time: Duration) {
        guard self.isInBody else { return }
        self.body = BodyPace(limits: self.limits)
        self.beginAnswer(at: time)
    }

    mutating func beginAnswer(at time: Duration) { self.writesSince = self.writesSince ?? time }

    /// An answer was written as a whole.
    mutating func endAnswer() -> Ending {
        self.unanswered = max(0, self.unanswered - 1)
        // Answered before its body was whole: what is left of it is not read as the next request.
        if self.unanswered == 0, self.isInBody { return .linger }
        defer { self.answersLeft = self.answersLeft.map { $0 - 1 } }
        return self.endsWithAnswer ? .close : .next
    }

    /// What was written has left this machine.
    mutating func flush(at time: Duration) {
        self.writesSince = nil
        if !self.isInBody, self.unanswered == 0, self.headBytes == 0 { self.headSince = time }
    }

    /// From now on what comes is read away.
    mutating func linger(at time: Duration) { self.lingersSince = self.lingersSince ?? time }

    /// What a client is too slow with.
    enum Overdue: Hashable {
        /// The next request, of which nothing has come; or the end of what is read away.
        case silence
        /// A head that has begun.
        case head
        case body
        /// The reading of an answer.
        case answer
    }

    /// Until when something must happen, and what it is that is overdue then; `nil` while the next step is ours.
    var deadline: (at: Duration, overdue: Overdue)? {
        if let since = self.lingersSince { return (since + self.limits.lingerTime, .silence) }
        if let since = self.writesSince { return (since + self.limits.writeTime, .answer) }
        if let body = self.body { return body.deadline.map { ($0, .body) } }
        // While an answer is on its way here the client need not say more.
        guard self.unanswered == 0 else { return nil }
        return (self.headSince + self.headLimit, self.headBytes == 0 ? .silence : .head)
    }
}
