import IDCardPipeline

/// The runs of each source in their order: the first is under way, the next one waits for it.
struct SourceLines: Sendable {
    private struct Line {
        var runs: [SourceRun]
        /// Whether the first one has begun to look for its inputs: what comes now may not be among them.
        var isListed = false
    }

    private var lines: [String: Line] = [:]

    /// The run of a source that has not begun to look for its inputs, if there is one.
    func unlisted(of source: String) -> SourceRun? {
        guard let line = self.lines[source], line.runs.count > 1 || !line.isListed else { return nil }
        return line.runs.last
    }

    /// Returns a run, if it has not ended.
    func run(_ id: String) -> SourceRun? {
        self.lines.values.lazy.flatMap(\.runs).first { $0.id == id }
    }

    /// Adds a run that is durable; one that is there already stays as it is.
    ///
    /// - Returns: whether it is the first of its source, and somebody is to begin with it.
    mutating func add(_ run: SourceRun) -> Bool {
        guard var line = self.lines[run.source] else {
            self.lines[run.source] = Line(runs: [run])
            return true
        }
        if !line.runs.contains(where: { $0.id == run.id }) { line.runs.append(run) }
        self.lines[run.source] = line
        return false
    }

    /// The run of a source that is under way.
    func first(of source: String) -> SourceRun? { self.lines[source]?.runs.first }

    /// Notes that the first run of a source begins to look for its inputs; what a killed process counted does not count.
    mutating func beginListing(of source: String) {
        self.lines[source]?.isListed = true
        self.change(source) { run in (run.counts, run.refusals) = ([:], [:]) }
    }

    /// Changes the first run of a source.
    mutating func change(_ source: String, _ body: (inout SourceRun) -> Void) {
        guard var run = self.first(of: source) else { return }
        body(&run)
        self.lines[source]?.runs[0] = run
    }

    /// Takes out the first run of a source, and returns the one that comes next.
    mutating func removeFirst(of source: String) -> SourceRun? {
        guard let rest = self.lines[source]?.runs.dropFirst(), let next = rest.first else {
            self.lines[source] = nil
            return nil
        }
        self.lines[source] = Line(runs: Array(rest))
        return next
    }
}
