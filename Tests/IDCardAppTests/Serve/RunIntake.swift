import Foundation
import IDCardCore
import IDCardPipeline
import Synchronization

/// A pipeline that admits everything it is not told to answer otherwise; it forgets what it takes.
final class RunIntake: CardIntake {
    private struct State {
        var calls: [String] = []
        var announced: [[String]] = []
        var arrived: [String] = []
    }

    private let state = Mutex(State())
    /// Decides about an input, by its name and the number of its try.
    private let answer: @Sendable (String, Int) async throws -> InputResult?

    init(answer: @escaping @Sendable (String, Int) async throws -> InputResult? = { _, _ in nil }) {
        self.answer = answer
    }

    var calls: [String] { self.state.withLock { $0.calls } }
    var announced: [[String]] { self.state.withLock { $0.announced } }
    var arrived: [String] { self.state.withLock { $0.arrived } }

    private static func name(_ item: IntakeItem) -> String {
        URL(filePath: item.source.reveal()).lastPathComponent
    }

    func announce(_ items: IntakeList) async throws -> IntakeAnnouncement {
        self.state.withLock { $0.announced.append(items.map(Self.name)) }
        return IntakeAnnouncement { item, _ in self.state.withLock { $0.arrived.append(Self.name(item)) } }
    }

    func expect(_ inputs: [AwaitedInput]) async throws {}
    func expectNoMore(_ inputs: [AwaitedInput]) async throws {}
    func expectAgain(_ inputs: [AwaitedInput], of source: InputSource) async throws {}

    func take(_ item: IntakeItem) async throws -> InputResult {
        let name = Self.name(item)
        let tries = self.state.withLock { state in
            state.calls.append(name)
            return state.calls.count { $0 == name }
        }
        if let result = try await self.answer(name, tries) { return result }
        switch item.disposition {
        case .ignore: return .ignored
        case .refuse(let reason, let message, _): return .refused(reason, message: message)
        case .take(let metadata):
            let now = Timestamp(millisecondsSinceEpoch: 1)
            return .admitted(
                Card(
                    id: CardID(rawValue: name),
                    state: .prepared,
                    metadata: metadata,
                    intakeOrder: 1,
                    createdAt: now,
                    changedAt: now
                )
            )
        }
    }

    func receive(_ reception: Reception) async throws -> ReceptionOutcome { .nameReused }
    func refusal(of address: ImageAddress) -> ImageFetcher.Refusal? { nil }
    func pressure() async -> IntakePressure { .open }
}

/// A clock that jumps to whatever time is waited for, and keeps how long each wait was.
final class JumpingTime: Sendable {
    private let state = Mutex((now: Timestamp(millisecondsSinceEpoch: 1_000), waits: [Duration]()))

    var waits: [Duration] { self.state.withLock { $0.waits } }

    var time: PipelineTime {
        PipelineTime(
            now: { self.state.withLock { $0.now } },
            sleep: { due in
                try Task.checkCancellation()
                self.state.withLock { state in
                    state.waits.append(due.duration(since: state.now))
                    state.now = max(state.now, due)
                }
                await Task.yield()
            }
        )
    }
}
