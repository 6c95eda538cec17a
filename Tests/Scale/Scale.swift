import CardModel
import CardStore
import Foundation
import Glibc

/// Fills one sandbox with more and more cards and measures, at each size, what the questions and changes of daily work cost.
///
///     card-scale FOLDER 1000 100000 1000000
@main
struct Scale {
    private static let rounds = 31

    private struct Measured {
        let name: String
        var milliseconds: [Double] = []
    }

    static func main() async throws {
        let arguments = CommandLine.arguments.dropFirst()
        guard let folder = arguments.first, let sizes = Optional(arguments.dropFirst().compactMap { Int($0) }),
            !sizes.isEmpty
        else {
            print("usage: card-scale FOLDER CARDS…")
            exit(64)
        }
        var filling = try await Filling(folder: folder)
        var table: [Measured] = []
        for (index, size) in sizes.enumerated() {
            let start = ContinuousClock.now
            try await filling.fill(to: size)
            let seconds = (ContinuousClock.now - start) / .seconds(1)
            FileHandle.standardError.write(Data("\(size) cards after \(Int(seconds)) s\n".utf8))
            for (name, milliseconds) in try await self.measure(&filling) {
                if index == 0 { table.append(Measured(name: name)) }
                guard let row = table.firstIndex(where: { $0.name == name }) else { continue }
                table[row].milliseconds.append(milliseconds)
            }
        }
        print(
            "| ms, median of \(self.rounds) |",
            sizes.map { "\($0)" }.joined(separator: " | "),
            "| last / one before |"
        )
        for row in table {
            let last = row.milliseconds.suffix(2)
            let growth = last.count == 2 ? String(format: "%.2f", last.last! / last.first!) : "–"
            print(
                "|",
                row.name,
                "|",
                row.milliseconds.map { String(format: "%.3f", $0) }.joined(separator: " | "),
                "|",
                growth,
                "|"
            )
        }
    }

    /// The median time of each step of a round, and of what is done once.
    private static func measure(_ filling: inout Filling) async throws -> [(String, Double)] {
        var times: [String: [Double]] = [:]
        var names: [String] = []
        func step<Value>(_ name: String, _ body: () async throws -> Value) async throws -> Value {
            let start = ContinuousClock.now
            let value = try await body()
            let time = (ContinuousClock.now - start) / .milliseconds(1)
            if times[name] == nil { names.append(name) }
            times[name, default: []].append(time)
            return value
        }
        let store = filling.store
        for round in 0..<self.rounds {
            let photo = filling.photo(.prepared)
            _ = try await step("admit") { try await store.admit([photo], now: .now) }
            let jobs = try await step("claim a verification") { try await filling.claim() }
            for job in jobs { _ = try await step("conclude a verification") { try await filling.conclude(job) } }
            let proposals = try await step("propose deliveries") { try await filling.propose() }
            for proposal in proposals {
                if let job = try await step("begin a delivery", { try await filling.begin(proposal) }) {
                    _ = try await step("conclude a delivery") { try await filling.conclude(job) }
                }
            }
            _ = try await step("claim a repeated delivery") {
                try await store.claimDeliveries(by: filling.worker, limit: 8, now: .now)
            }
            _ = try await step("claim a fetch") {
                for host in try await store.fetchHosts(now: .now).prefix(1) {
                    _ = try await store.claimFetching(
                        from: host,
                        by: filling.worker,
                        limit: 8,
                        untriedFirst: false,
                        now: .now
                    )
                }
            }
            _ = try await step("claim a preparation") {
                try await store.claimPreparation(by: filling.worker, limit: 8, now: .now)
            }
            _ = try await step("when is next due") {
                for state in [CardState.fetching, .received, .prepared] {
                    _ = try await store.nextDue(in: state, now: .now)
                }
                _ = try await store.nextDecision(now: .now)
                _ = try await store.nextDelivery(now: .now)
            }
            _ = try await step("undecided deliveries") { try await store.undecidedDeliveries() }
            _ = try await step("is the queue full") { try await store.isFull() }
            _ = try await step("heartbeat") { try await store.heartbeat(of: filling.worker, now: .now) }
            let long = Duration.seconds(900 * 86_400)
            var terms = RetentionTerms()
            (terms.delivered, terms.rejected, terms.failed, terms.held) = (long, long, long, long)
            _ = try await step("retention, nothing due") {
                _ = try await store.eraseExpired(terms, by: AccessOrigin(actor: "scale"), now: .now)
                _ = try await store.overdue(terms, now: .now)
            }
            for (name, filter) in self.filters(filling) {
                _ = try await step("list \(name)") {
                    try await store.cards(filter, after: 0, limit: 100, for: .process)
                }
            }
            if round < 5 { _ = try await step("status: counts") { try await store.counts() } }
        }
        _ = try await step("fsck") { _ = try await store.check() }
        return names.map { name in
            let sorted = (times[name] ?? []).sorted()
            return (name, sorted[sorted.count / 2])
        }
    }

    private static func filters(_ filling: Filling) -> [(String, CardFilter)] {
        func filter(_ change: (inout CardFilter) -> Void) -> CardFilter {
            var filter = CardFilter()
            change(&filter)
            return filter
        }
        return [
            ("all", filter { _ in }), ("held", filter { $0.states = [.held] }),
            ("a rare reason", filter { $0.reason = "no_such_reason" }),
            ("attention", filter { $0.attention = [.decide, .retake] }),
            ("a submitter's", filter { $0.submitter = "sender-3" }),
            ("a number", filter { $0.number = BusinessNumber(stored: "CASE-77") }),
        ]
    }
}
