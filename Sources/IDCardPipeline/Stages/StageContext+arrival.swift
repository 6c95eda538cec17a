import IDCardCore

extension StageContext {
    /// Takes note that an input that was expected under a business number is dealt with.
    ///
    /// - Parameter result: what came of it; `nil` if that is not known.
    func arrived(_ result: InputResult?, under number: BusinessNumber) {
        self.applications.arrived(number)
        if self.applications.touchIfWaiting(number) { self.board.announce(.settle) }
        switch result {
        case .refused, .ignored: return
        // Most of what is known has ended long ago.
        case .duplicate(let card, _) where !card.state.isRunnable: return
        case .admitted, .duplicate, nil: self.board.announce(.verify)
        }
    }
}
