import IDCardCore
import Synchronization

/// What one run has announced to the rules: how many inputs of each business number are on their way, and how many were
/// refused without a card.
final class AnnouncedInputs: Sendable {
    private struct State {
        var expected: [BusinessNumber: Int] = [:]
        var refused: [BusinessNumber: Int] = [:]
    }

    private let context: StageContext
    private let state: Mutex<State>

    /// Announces inputs; none of them is taken in before.
    init(_ items: IntakeList, context: StageContext) {
        var state = State()
        for index in items.indices {
            switch items.disposition(at: index) {
            case .take(let metadata): state.expected[metadata.businessNumber, default: 0] += 1
            case .refuse(_, _, let number?): state.refused[number, default: 0] += 1
            case .refuse, .ignore: continue
            }
        }
        self.context = context
        context.applications.expect(state.expected)
        for (number, count) in state.refused { context.applications.refused(number, count: count) }
        self.state = Mutex(state)
    }

    /// Notes what came of an input.
    func arrived(_ item: IntakeItem, as result: InputResult) {
        guard case .take(let metadata) = item.disposition else { return }
        let number = metadata.businessNumber
        let isRefusal = if case .refused = result { metadata.side != .back } else { false }
        let wasExpected = self.state.withLock { state in
            guard let count = state.expected[number] else { return false }
            state.expected[number] = count > 1 ? count - 1 : nil
            if isRefusal { state.refused[number, default: 0] += 1 }
            return true
        }
        guard wasExpected else { return }
        // Before it counts as arrived: between the two a back would find neither its front nor what became of it.
        if isRefusal { self.context.applications.refused(number) }
        self.context.applications.arrived(number)
        self.context.applications.touch(number)
        self.context.board.announce(.verify, .settle)
    }

    /// Takes everything back, and has the business numbers concerned decided on anew.
    func withdraw() {
        let (expected, refused) = self.state.withLock { state in
            defer { state = State() }
            return (state.expected, state.refused)
        }
        for (number, count) in expected { self.context.applications.arrived(number, count: count) }
        for (number, count) in refused { self.context.applications.forgetRefused(number, count: count) }
        for number in Set(expected.keys).union(refused.keys) { self.context.applications.touch(number) }
        self.context.board.announce(.settle)
    }
}
