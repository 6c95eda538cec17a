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

    /// An endpoint that takes no calls.
    struct Failure: Encodable {
        let code: String
        let endpoint: String?
        let message: String
        let since: String
        let last: String

        enum CodingKeys: String, CodingKey {
            case code, endpoint, message, since
            case last = "last_at"
        }
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
    /// The stages whose endpoint takes no calls.
    let failing: [String: Failure]
    /// When the oldest of the cards that wait for a stage was taken in.
    let oldest: [String: String]
    /// The disk of the sandbox.
    let sandbox: Disk

    enum CodingKeys: String, CodingKey {
        case cards, stopped, failing, sandbox
        case oldest = "oldest_waiting"
    }

    init(
        counts: [CardState: Int],
        pauses: [Stage: StagePause],
        standings: [Stage: StageStanding],
        endpoints: [Stage: String],
        readiness: SandboxReadiness
    ) {
        self.failing = Dictionary(
            uniqueKeysWithValues: standings.compactMap { stage, standing in
                guard let failure = standing.failure, pauses[stage] == nil else { return nil }
                return (
                    stage.rawValue,
                    Failure(
                        code: failure.code,
                        endpoint: endpoints[stage],
                        message: failure.advice(at: stage, address: endpoints[stage]),
                        since: failure.since.description,
                        last: failure.lastAt.description
                    )
                )
            }
        )
        self.oldest = Dictionary(
            uniqueKeysWithValues: standings.compactMap { stage, standing in
                standing.oldestSince.map { (stage.rawValue, $0.description) }
            }
        )
        self.sandbox = Disk(readiness)
        self.cards = Dictionary(uniqueKeysWithValues: CardState.allCases.map { ($0.rawValue, counts[$0] ?? 0) })
        self.stopped = Dictionary(
            uniqueKeysWithValues: pauses.map { stage, pause in
                (stage.rawValue, Pause(code: pause.code, message: pause.message, since: pause.since.description))
            }
        )
    }

    /// One line per state that has cards, one per stage for which cards wait, one per stopped or failing stage, one for whatever the sandbox finds wrong.
    var lines: [String] {
        let states = CardState.allCases.map(\.rawValue).filter { self.cards[$0, default: 0] > 0 }
        let counts = states.map { "\($0.padding(to: 10)) \(self.cards[$0, default: 0])" }
        let stops = self.stopped.sorted { $0.key < $1.key }.map { stage, pause in
            "\(stage) stopped since \(pause.since) (\(pause.code)): \(pause.message)"
        }
        let failures = self.failing.sorted { $0.key < $1.key }.map { "\($0) failing (\($1.code)): \($1.message)" }
        let waits = self.oldest.sorted { $0.key < $1.key }.map { "the oldest card that waits for \($0) came \($1)" }
        return (counts.isEmpty ? ["no cards"] : counts) + waits + stops + failures + self.sandbox.findings
    }
}
