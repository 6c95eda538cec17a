import IDCardCore
import IDCardPipeline
import IDCardSandbox

/// What `status` shows.
struct SandboxStatus: Encodable {
    struct Pause: Encodable {
        let code: String
        let message: String
        let since: String
    }

    /// The sandbox's own word on its disk; sizes in bytes.
    struct Disk: Encodable {
        let ready: Bool
        let findings: [String]
        let free: Int
        let used: Int
        let limit: Int?
        let log: Int
        let reserve: Bool
        let intake: Bool
        let verification: Bool

        enum CodingKeys: String, CodingKey {
            case ready, findings, reserve, intake, verification
            case free = "free_bytes"
            case used = "used_bytes"
            case limit = "max_bytes"
            case log = "wal_bytes"
        }

        init(_ readiness: SandboxReadiness) {
            self.ready = readiness.isReady
            self.findings = readiness.findings
            self.free = readiness.freeBytes
            self.used = readiness.usedBytes
            self.limit = readiness.maximumBytes > 0 ? readiness.maximumBytes : nil
            self.log = readiness.logBytes
            self.reserve = readiness.hasReserve
            self.intake = readiness.space.allowsIntake
            self.verification = readiness.space.allowsVerification
        }
    }

    /// Cards by state; every state is there.
    let cards: [String: Int]
    /// The stopped stages.
    let stopped: [String: Pause]
    /// The disk of the sandbox.
    let sandbox: Disk

    init(counts: [CardState: Int], pauses: [Stage: StagePause], readiness: SandboxReadiness) {
        self.sandbox = Disk(readiness)
        self.cards = Dictionary(uniqueKeysWithValues: CardState.allCases.map { ($0.rawValue, counts[$0] ?? 0) })
        self.stopped = Dictionary(
            uniqueKeysWithValues: pauses.map { stage, pause in
                (stage.rawValue, Pause(code: pause.code, message: pause.message, since: pause.since.description))
            }
        )
    }

    /// One line per state that has cards, one per stopped stage, one for whatever the sandbox finds wrong.
    var lines: [String] {
        let states = CardState.allCases.map(\.rawValue).filter { self.cards[$0, default: 0] > 0 }
        let counts = states.map { "\($0.padding(to: 10)) \(self.cards[$0, default: 0])" }
        let stops = self.stopped.sorted { $0.key < $1.key }.map { stage, pause in
            "\(stage) stopped since \(pause.since) (\(pause.code)): \(pause.message)"
        }
        return (counts.isEmpty ? ["no cards"] : counts) + stops + self.sandbox.findings
    }
}
