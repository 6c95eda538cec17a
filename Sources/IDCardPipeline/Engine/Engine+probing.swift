import IDCardCore

// With which card a stage finds out whether its endpoint works.
extension Engine {
    /// How often a probe looks for another card than those that failed, as long as others may still come.
    private static let probeLook = Duration.milliseconds(500)

    /// In which order a stage claims: a probe is made with a card that has not failed; with one that has only if no other is
    /// on its way, or the same card would stop the stage for ever. So, too, as long as calls fail: or the same cards would
    /// keep the stage from all others.
    private func claimOrder(of stage: Stage, through gate: StageGate) -> ClaimOrder {
        guard gate.isProbing else { return gate.isFailing ? .untriedFirst : .usual }
        return gate.wantsAnother(at: self.context.time.now()) || self.waitsForAnother(at: stage, through: gate)
            ? .untriedOnly : .untriedFirst
    }

    /// Whether a card that has not failed may still come.
    private func waitsForAnother(at stage: Stage, through gate: StageGate) -> Bool {
        let now = self.context.time.now()
        return !self.context.board.isQuiet(before: stage.lane, at: now) && gate.waitsForAnother(at: now)
    }

    /// Claims work of a stage in the order that holds now.
    func claim<Job: Sendable>(
        of stage: Stage,
        through gate: StageGate,
        _ claim: (ClaimOrder) async throws -> [Job]
    ) async throws -> [Job] {
        let order = self.claimOrder(of: stage, through: gate)
        let jobs = try await claim(order)
        let now = self.context.time.now()
        if !jobs.isEmpty {
            gate.foundAnother()
        } else if order == .untriedOnly, gate.wantsAnother(at: now), !self.waitsForAnother(at: stage, through: gate) {
            gate.foundNoOther(at: now)
        }
        return jobs
    }

    /// When a stage has work that is not claimed.
    func nextDue(of stage: Stage, through gate: StageGate) async throws -> Timestamp? {
        guard let due = try await self.context.store.nextDue(for: stage) else { return nil }
        guard self.claimOrder(of: stage, through: gate) == .untriedOnly else { return due }
        // What is due may be what is not to be claimed now.
        let now = self.context.time.now()
        if let repeatAt = gate.repeatAt, now < repeatAt { return max(due, repeatAt) }
        return max(due, now.advanced(by: Self.probeLook))
    }
}

extension Stage {
    /// The lane of its loop.
    fileprivate var lane: Lane {
        switch self {
        case .prepare: .prepare
        case .verify: .verify
        case .deliver: .deliver
        }
    }
}
