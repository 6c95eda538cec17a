import IDCardCore
import IDCardPipeline

/// What `status` shows.
struct SandboxStatus: Encodable {
    struct Pause: Encodable {
        let code: String
        let message: String
        let since: String
    }

    /// Cards by state; every state is there.
    let cards: [String: Int]
    /// The stopped stages.
    let stopped: [String: Pause]

    init(counts: [CardState: Int], pauses: [Stage: StagePause]) {
        self.cards = Dictionary(uniqueKeysWithValues: CardState.allCases.map { ($0.rawValue, counts[$0] ?? 0) })
        self.stopped = Dictionary(
            uniqueKeysWithValues: pauses.map { stage, pause in
                (stage.rawValue, Pause(code: pause.code, message: pause.message, since: pause.since.description))
            }
        )
    }

    /// One line per state that has cards, one per stopped stage.
    var lines: [String] {
        let states = CardState.allCases.map(\.rawValue).filter { self.cards[$0, default: 0] > 0 }
        let counts = states.map { "\($0.padding(to: 10)) \(self.cards[$0, default: 0])" }
        let stops = self.stopped.sorted { $0.key < $1.key }.map { stage, pause in
            "\(stage) stopped since \(pause.since) (\(pause.code)): \(pause.message)"
        }
        return (counts.isEmpty ? ["no cards"] : counts) + stops
    }
}
