import CardModel

/// Shows the progress of a run: live lines on a terminal, otherwise a plain line from time to time.
struct ProgressDisplay: Sendable {
    let progress: @Sendable () -> RunProgress
    let isQuiet: Bool

    private static let liveInterval = Duration.milliseconds(200)
    private static let plainInterval = Duration.seconds(5)
    /// The time over which rates are measured: earlier ones do not predict the time left.
    private static let recent = Duration.seconds(30)

    func showing<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
        guard !self.isQuiet else { return try await work() }
        return try await running(work, cancelling: true) { await self.show() }
    }

    private func show() async {
        let clock = ContinuousClock()
        var past = [(at: clock.now, counts: self.progress().counts)]
        let isLive = Console.canShowLiveLines
        var last: Message?
        while (try? await clock.sleep(for: isLive ? Self.liveInterval : Self.plainInterval)) != nil {
            let progress = self.progress()
            if isLive {
                let now = clock.now
                await Console.showLive(progress.lines(since: past[0].counts, over: now - past[0].at))
                past.append((now, progress.counts))
                past.removeAll { now - $0.at > Self.recent }
            } else if progress.plain != last {
                last = progress.plain
                Console.say(progress.plain)
            }
        }
        if isLive { await Console.showLive([]) }
    }
}

/// Counts what the stages have done.
struct RunProgress: Sendable {
    struct Counts: Sendable {
        var done = 0
        var total = 0
    }

    var intake = Counts()
    /// The cards to be verified, those that are past verification, and those delivered: each counts once, even if it
    /// returns to a stage.
    private var toVerify: Set<CardID> = []
    private var verified: Set<CardID> = []
    private var delivered: Set<CardID> = []
    /// Bytes sent to the backend, including repeated ones.
    private var sentBytes: Int64 = 0
    /// The bytes sent so far of each delivery under way.
    private var sending: [DeliveryID: Int64] = [:]
    /// The last failure of each stage without a later success.
    var lastFailures: [Stage: RemoteFailure] = [:]
    /// A message about cards whose retention is over.
    var upkeep: Message?

    mutating func count(_ delivery: DeliveryID, sent: Int64, total: Int64) {
        self.sentBytes += max(0, sent - (self.sending[delivery] ?? 0))
        self.sending[delivery] = sent < total ? sent : nil
    }

    mutating func count(_ state: CardState, of card: CardID) {
        switch state {
        case .prepared: self.toVerify.insert(card)
        case .verified:
            // A card that is judged again by its stored reading was not counted before.
            self.toVerify.insert(card)
            self.verified.insert(card)
            self.lastFailures[.verify] = nil
        case .delivered:
            self.delivered.insert(card)
            self.lastFailures[.deliver] = nil
        case .rejected, .failed, .held:
            // A card that stops is past the stage that it was in.
            if self.toVerify.contains(card) { self.verified.insert(card) }
        case .fetching, .received, .delivering, .superseded, .erased: break
        }
    }

    /// The counts of intake, verification and delivery.
    var counts: [Counts] {
        [
            self.intake,
            Counts(done: self.verified.count, total: self.toVerify.count),
            Counts(done: self.delivered.count, total: self.delivered.count),
        ]
    }

    /// The lines for a terminal, one per stage: count, rate since earlier counts, time left.
    func lines(since past: [Counts], over time: Duration) -> [String] {
        let stages: [(name: String, stage: Stage?)] = [("intake ", nil), ("verify ", .verify), ("deliver", .deliver)]
        var lines = zip(stages, zip(self.counts, past)).map { stage, counts in
            Self.line(stage.name, counts.0, since: counts.1, over: time, stage.stage.flatMap { self.lastFailures[$0] })
        }
        lines[2] += "  \(Message.progressSent(Self.oneDecimal(Double(self.sentBytes) / 1_000_000)).text())"
        return lines
    }

    /// The counts and failures of the stages on one line, for a log file.
    var plain: Message {
        let failures = self.lastFailures.sorted { $0.key.rawValue < $1.key.rawValue }.map { stage, failure in
            failure.failureClass == .throttled
                ? Message.progressStageSlower(stage, failure.code) : .progressStageFails(stage, failure.code)
        }
        let counts = self.counts
        return Message.progressLine(
            [
                .progressIntake("\(counts[0].done)/\(counts[0].total)"),
                .progressVerified("\(counts[1].done)/\(counts[1].total)"), .progressDelivered(counts[2].done),
            ] + failures
        )
    }

    private static func line(
        _ name: String,
        _ stage: Counts,
        since past: Counts,
        over time: Duration,
        _ failure: RemoteFailure?
    ) -> String {
        var line = "\(name) \(stage.done)/\(stage.total)"
        if let failure, failure.failureClass != .throttled {
            return "\(line)  \(Message.progressFails(failure.code).text())"
        }
        let (done, seconds) = (stage.done - past.done, time / .seconds(1))
        if done > 0, seconds > 0.5 {
            let rate = Double(done) / seconds
            let left = Int((Double(stage.total - stage.done) / rate).rounded(.up))
            line += "  \(Self.oneDecimal(rate))/s"
            if left > 0 { line += "  \(Message.progressLeft(Self.clock(left)).text())" }
        }
        return line + (failure.map { "  \(Message.progressSlower($0.code).text())" } ?? "")
    }

    private static func oneDecimal(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }

    private static func clock(_ seconds: Int) -> String {
        if seconds < 60 { return "\(seconds)s" }
        return seconds < 3600 ? "\(seconds / 60)m\(seconds % 60)s" : "\(seconds / 3600)h\(seconds % 3600 / 60)m"
    }
}
