/// Shows how far a run is while it runs: live lines on a terminal, now and then a plain line elsewhere.
struct ProgressDisplay: Sendable {
    let progress: RunProgress
    let isQuiet: Bool

    private static let liveInterval = Duration.milliseconds(200)
    private static let plainInterval = Duration.seconds(5)

    /// Runs work with progress beside it.
    func showing<Value: Sendable>(_ work: @escaping @Sendable () async throws -> Value) async throws -> Value {
        guard !self.isQuiet else { return try await work() }
        return try await withThrowingTaskGroup(of: Value?.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await work() }
            group.addTask {
                await self.show()
                return nil
            }
            while let result = try await group.next() {
                if let value = result { return value }
            }
            throw CancellationError()
        }
    }

    private func show() async {
        let clock = ContinuousClock()
        let start = clock.now
        let isLive = Console.canShowLiveLines
        defer { Console.showLive([]) }
        var last: RunProgress.Figures?
        while !Task.isCancelled {
            // Fallback of a cancelled sleep: the loop ends.
            try? await clock.sleep(for: isLive ? Self.liveInterval : Self.plainInterval)
            let figures = self.progress.current
            guard !Task.isCancelled, figures != last || isLive else { continue }
            last = figures
            let lines = ProgressLines(figures: figures, elapsed: clock.now - start)
            if isLive { Console.showLive(lines.live) } else { Console.standardError(lines.plain) }
        }
    }
}
