import NIOCore

extension ConnectionGuard {
    /// Sees to it that the next deadline is not missed: one timer a connection, which looks again when it fires.
    func schedule() {
        guard let context = self.context, context.channel.isActive, let deadline = self.progress.deadline else {
            return
        }
        // A timer that fires too early costs nothing; most deadlines only move on.
        if let timer = self.timer, timer.at <= deadline.at { return }
        self.timer?.task.cancel()
        let delay = max(.zero, deadline.at - Self.now)
        let task = context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(delay)) { self.timerFired() }
        self.timer = (task, deadline.at)
    }

    private func timerFired() {
        self.timer = nil
        guard let context = self.context else { return }
        guard let deadline = self.progress.deadline, deadline.at <= Self.now else { return self.schedule() }
        switch deadline.overdue {
        case .silence, .answer: context.close(promise: nil)
        case .head: self.refuse(Problem(.headTimeout))
        case .body:
            // The request is answered by whoever reads its body; if nobody does, the connection ends like that.
            self.progress.endsWithAnswer = true
            self.progress.giveBodyUp(at: Self.now)
            context.fireErrorCaught(BodyTimeout())
            self.schedule()
        }
    }
}
