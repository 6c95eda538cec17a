import CardModel

/// What the inputs of a run come to.
struct RunTally: Sendable {
    var counts = RunCounts()
    private var workRemains = false
    private var isIncomplete = false
    private var isOutOfRoom = false

    mutating func addNotReached() {
        self.counts.add("unchanged")
        self.workRemains = true
    }

    mutating func add(_ error: CodedError) {
        self.counts.add(error.stateOfInput)
        switch error.kind {
        case .storage: self.isOutOfRoom = true
        case .temporary: self.workRemains = true
        default: self.isIncomplete = true
        }
    }

    /// Counts an input that is a card.
    ///
    /// - Parameters:
    ///   - notice: what is told of the card.
    ///   - isNews: whether this run admitted or moved it.
    ///   - isFirst: whether no input before is the same card.
    mutating func add(_ card: Card, _ notice: CardNotice, isNews: Bool, isFirst: Bool) {
        if card.hasWork { self.workRemains = true }
        if notice.isFailure { self.isIncomplete = true }
        if !isFirst {
            self.counts.add("duplicate")
        } else if isNews {
            self.counts.add(card.state.rawValue)
        } else if card.state.isRunnable {
            self.counts.add("unchanged")
        } else {
            self.counts.add(notice == .nothing ? "duplicate" : card.state.rawValue)
        }
    }

    /// The exit status that this calls for, where an endpoint stopped a stage or none did.
    func status(isStopped: Bool) -> CommandStatus {
        if self.isOutOfRoom { return .sandboxError }
        if self.workRemains { return isStopped ? .endpointStopped : .workRemains }
        guard self.isIncomplete else { return .delivered }
        return isStopped ? .endpointStopped : .someNotDelivered
    }
}
