import IDCardPipeline

/// Renders one line per stage: count, rate, time left.
struct ProgressLines {
    let figures: RunProgress.Figures
    /// Since the run began.
    let elapsed: Duration

    /// The lines for a terminal, one per stage.
    var live: [String] {
        [
            self.line("intake ", self.figures.intake, pause: nil) + self.roomNote,
            self.line("verify ", self.figures.verify, pause: self.figures.pauses[.verify]),
            self.line("deliver", self.figures.deliver, pause: self.figures.pauses[.deliver]),
        ]
    }

    /// The same on one line, for a log file.
    var plain: String {
        let figures = self.figures
        return
            "intake \(figures.intake.done)/\(figures.intake.total), verified \(figures.verify.done)/\(figures.verify.total), "
            + "delivered \(figures.deliver.done)/\(figures.deliver.total)" + self.roomNote
    }

    private var roomNote: String { self.figures.space.allowsIntake ? "" : "  intake waits for disk space" }

    private func line(_ name: String, _ stage: RunProgress.StageFigures, pause: StagePause?) -> String {
        var line = "\(name) \(stage.done)/\(stage.total)"
        if let pause { return line + "  stopped: \(pause.code)" }
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
