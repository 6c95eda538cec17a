import CardEngine
import CardModel

/// Shows how far a run is while it runs: live lines on a terminal, now and then a plain line elsewhere.
struct ProgressDisplay: Sendable {
    let tracker: RunTracker
    let isQuiet: Bool

    private static let liveInterval = Duration.milliseconds(200)
    private static let plainInterval = Duration.seconds(5)

    /// Runs work with progress beside it.
    func showing<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
        guard !self.isQuiet else { return try await work() }
        return try await running(work, cancelling: true) { await self.show() }
    }

    private func show() async {
        let clock = ContinuousClock()
        let start = clock.now
        let isLive = Console.canShowLiveLines
        var last: Message?
        while (try? await clock.sleep(for: isLive ? Self.liveInterval : Self.plainInterval)) != nil {
            let figures = self.tracker.figures
            if isLive {
                await Console.showLive(figures.lines(after: clock.now - start))
            } else if figures.plain != last {
                last = figures.plain
                Console.say(figures.plain)
            }
        }
        if isLive { await Console.showLive([]) }
    }
}

/// Counts what the stages have done.
struct RunFigures: Sendable {
    struct Counts: Sendable {
        var done = 0
        var total = 0
    }

    var intake = Counts()
    private var verify = Counts()
    private var deliver = Counts()
    /// Bytes that went to the backend, repeated ones included.
    private var sentBytes: Int64 = 0
    /// How far the deliveries under way are.
    private var sending: [DeliveryID: Int64] = [:]
    /// The last failure of a stage that has not passed a card since.
    var lastFailures: [Stage: RemoteFailure] = [:]
    /// What is to be said of cards whose retention is over.
    var upkeep: Message?

    mutating func note(_ delivery: DeliveryID, sent: Int64, total: Int64) {
        self.sentBytes += max(0, sent - (self.sending[delivery] ?? 0))
        self.sending[delivery] = sent < total ? sent : nil
    }

    mutating func note(_ state: CardState) {
        switch state {
        case .prepared: self.verify.total += 1
        case .verified:
            self.verify.done += 1
            self.lastFailures[.verify] = nil
        case .delivered:
            self.deliver.done += 1
            self.lastFailures[.deliver] = nil
        case .rejected, .failed, .held:
            // A card ends in the stage it was in; what the totals say is how far the work is, not where it ended.
            if self.verify.done < self.verify.total { self.verify.done += 1 }
        case .fetching, .received, .delivering, .superseded, .erased: break
        }
        self.deliver.total = max(self.deliver.total, self.deliver.done)
    }

    /// The lines for a terminal, one per stage: count, rate, time left.
    func lines(after elapsed: Duration) -> [String] {
        [
            Self.line("intake ", self.intake, nil, elapsed),
            Self.line("verify ", self.verify, self.lastFailures[.verify], elapsed),
            Self.line("deliver", self.deliver, self.lastFailures[.deliver], elapsed)
                + "  \(Message.progressSent(Self.oneDecimal(Double(self.sentBytes) / 1_000_000)).text())",
        ]
    }

    /// The same on one line, for a log file.
    var plain: Message {
        let failures = self.lastFailures.sorted { $0.key.rawValue < $1.key.rawValue }
        let (intake, verify) = (self.intake, self.verify)
        return Message.progressLine(
            [
                .progressIntake("\(intake.done)/\(intake.total)"), .progressVerified("\(verify.done)/\(verify.total)"),
                .progressDelivered(self.deliver.done),
            ] + failures.map { .progressStageFails($0.key, $0.value.code) }
        )
    }

    private static func line(_ name: String, _ stage: Counts, _ failure: RemoteFailure?, _ elapsed: Duration) -> String
    {
        let line = "\(name) \(stage.done)/\(stage.total)"
        if let failure { return "\(line)  \(Message.progressFails(failure.code).text())" }
        let seconds = elapsed / .seconds(1)
        guard stage.done > 0, seconds > 0.5 else { return line }
        let rate = Double(stage.done) / seconds
        let left = Int((Double(stage.total - stage.done) / rate).rounded(.up))
        let remaining = stage.done < stage.total ? "  \(Message.progressLeft(Self.clock(left)).text())" : ""
        return "\(line)  \(Self.oneDecimal(rate))/s\(remaining)"
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
