import CardModel
import Testing

/// Room that is shared out among those who wait for it.
@Suite(.timeLimit(.minutes(1))) struct FairQueueTests {
    /// Places of which each name has some.
    private func line(_ places: Int) -> FairQueue<[String: Int], String> {
        FairQueue([:], rank: { $0[$1] ?? 0 }) { taken, name in
            guard taken.values.reduce(0, +) < places else { return false }
            taken[name, default: 0] += 1
            return true
        }
    }

    private static let forever: @Sendable () async -> Void = { try? await Task.sleep(for: .seconds(1_000_000)) }

    @Test func `who has least comes first, and of these who came first`() async {
        let line = self.line(1)
        #expect(line.enter("greedy"))
        let (order, told) = AsyncStream.makeStream(of: String.self)
        await withTaskGroup { tasks in
            var waiting = 0
            for name in ["greedy 1", "greedy 2", "modest"] {
                let demand = name == "modest" ? "modest" : "greedy"
                tasks.addTask {
                    #expect(await line.enter(demand, until: Self.forever))
                    told.yield(name)
                }
                waiting += 1
                while line.waiting < waiting { await Task.yield() }
            }
            var names = order.makeAsyncIterator()
            // What is free goes to the one who has nothing, although two came before.
            line.leave { _ in }
            for (last, next) in [("none", "modest"), ("modest", "greedy 1"), ("greedy", "greedy 2")] {
                line.leave { taken in
                    if last == "none" {
                        taken["greedy"] = 1
                        taken["spare"] = -1
                    } else {
                        taken["spare", default: 0] -= 1
                    }
                }
                #expect(await names.next() == next)
            }
        }
    }

    @Test func `who waited in vain has nothing, and stands in line no more`() async {
        let line = self.line(1)
        #expect(line.enter("a"))
        #expect(await !line.enter("b") {})
        line.leave { $0 = [:] }
        #expect(line.enter("c") && !line.enter("d"))
    }
}
