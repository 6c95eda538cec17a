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
        var last = ""
        while !Task.isCancelled {
            // A cancelled sleep ends the loop.
            try? await clock.sleep(for: isLive ? Self.liveInterval : Self.plainInterval)
            guard !Task.isCancelled else { break }
            let lines = ProgressLines(figures: self.tracker.figures, elapsed: clock.now - start)
            if isLive {
                await Console.showLive(lines.live)
            } else if lines.plain != last {
                last = lines.plain
                Console.standardError(last)
            }
        }
        if isLive { await Console.showLive([]) }
    }
}

/// Renders one line per stage: count, rate, time left.
struct ProgressLines {
    let figures: RunFigures
    /// Since the run began.
    let elapsed: Duration

    /// The lines for a terminal, one per stage.
    var live: [String] {
        [
            self.line("intake ", self.figures.intake, failure: nil),
            self.line("verify ", self.figures.verify, failure: self.figures.lastFailures[.verify]?.code),
            self.line("deliver", self.figures.deliver, failure: self.figures.lastFailures[.deliver]?.code)
                + "  \(Self.oneDecimal(Double(self.figures.sentBytes) / 1_000_000)) MB sent",
        ]
    }

    /// The same on one line, for a log file.
    var plain: String {
        let figures = self.figures
        let failures = figures.lastFailures.sorted { $0.key.rawValue < $1.key.rawValue }
            .map { ", \($0.key.rawValue) fails: \($0.value.code)" }
        return """
            intake \(figures.intake.done)/\(figures.intake.total), verified \(figures.verify.done)/\(figures.verify.total), \
            delivered \(figures.deliver.done)\(failures.joined())
            """
    }

    private func line(_ name: String, _ stage: RunFigures.Stage, failure: String?) -> String {
        var line = "\(name) \(stage.done)/\(stage.total)"
        if let failure { return line + "  fails: \(failure)" }
        let seconds = Double(self.elapsed.components.seconds) + Double(self.elapsed.components.attoseconds) / 1e18
        guard stage.done > 0, seconds > 0.5 else { return line }
        let rate = Double(stage.done) / seconds
        line += "  \(Self.oneDecimal(rate))/s"
        if stage.done < stage.total { line += "  \(Self.clock(Double(stage.total - stage.done) / rate)) left" }
        return line
    }

    private static func oneDecimal(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return "\(tenths / 10).\(tenths % 10)"
    }

    private static func clock(_ seconds: Double) -> String {
        let whole = Int(seconds.rounded(.up))
        if whole < 60 { return "\(whole)s" }
        return whole < 3600 ? "\(whole / 60)m\(whole % 60)s" : "\(whole / 3600)h\(whole % 3600 / 60)m"
    }
}
