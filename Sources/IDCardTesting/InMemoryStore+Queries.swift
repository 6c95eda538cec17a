package import IDCardCore
package import IDCardPipeline

extension InMemoryStore {
    package func card(_ id: CardID) async throws -> Card? {
        self.memory.look { $0.cards[id]?.card }
    }

    package func details(of id: CardID) async throws -> CardDetails? {
        self.memory.look { state in
            state.cards[id].map { entry in
                CardDetails(
                    card: entry.card,
                    reading: entry.reading,
                    imageByteCount: entry.image?.jpeg.count,
                    events: entry.events
                )
            }
        }
    }

    package func cards(matching query: CardQuery) async throws -> [Card] {
        self.memory.look { state in
            let cards = state.cards.values.map(\.card)
                .filter { query.states.isEmpty || query.states.contains($0.state) }
                .filter { query.businessNumber == nil || $0.metadata.businessNumber == query.businessNumber }
                .filter { query.reason == nil || $0.reason == query.reason }
                .filter { $0.intakeOrder > query.afterIntakeOrder ?? .min }
                .sorted { ($0.intakeOrder, $0.id.rawValue) < ($1.intakeOrder, $1.id.rawValue) }
            return Array(cards.prefix(max(0, query.limit)))
        }
    }

    package func stateCounts() async throws -> [CardState: Int] {
        self.memory.look { state in
            state.cards.values.reduce(into: [:]) { $0[$1.card.state, default: 0] += 1 }
        }
    }

    package func nextDue(for stage: Stage) async throws -> Timestamp? {
        self.memory.look { state in
            switch stage {
            case .prepare:
                nil
            case .verify:
                state.nextDue(in: .prepared)
            case .deliver:
                state.deliveries.values
                    .filter { $0.phase == .open && $0.lease == nil }
                    .map { $0.nextAttemptAt ?? $0.createdAt }
                    .min()
            }
        }
    }

    package func standings() async throws -> [Stage: StageStanding] {
        self.memory.look { state in
            Dictionary(
                uniqueKeysWithValues: Stage.allCases.map { stage in
                    var search = EndpointFailure.Search()
                    for call in (state.calls[stage] ?? []).suffix(EndpointFailure.mostCalls).reversed() {
                        search.look(at: call)
                    }
                    let waiting = state.cards.values.map(\.card).filter { $0.state.stage == stage }
                    return (
                        stage,
                        StageStanding(oldestSince: waiting.map(\.createdAt).min(), failure: search.failure)
                    )
                }
            )
        }
    }

    package func setPause(_ pause: StagePause?, of stage: Stage) async throws {
        self.memory.change { state in
            var pauses = state.pauses[stage] ?? [:]
            if pause == nil { pauses = pauses.filter { state.livingOwners.contains($0.key) } }
            pauses[self.owner] = pause
            state.pauses[stage] = pauses.isEmpty ? nil : pauses
        }
    }

    package func pauses() async throws -> [Stage: StagePause] {
        self.memory.look { state in
            state.pauses.compactMapValues { pauses in pauses.values.min { $0.since < $1.since } }
        }
    }

    package func pausesLeftBehind() async throws -> Set<Stage> {
        self.memory.look { state in
            let left = state.pauses.filter {
                $0.value.keys.contains { $0 == self.owner || !state.livingOwners.contains($0) }
            }
            return Set(left.keys)
        }
    }

    package func setWait(until time: Timestamp, of host: String, now: Timestamp) async throws {
        self.memory.change { state in
            state.waits = state.waits.filter { $0.value > now }
            state.waits[host] = max(state.waits[host] ?? time, time)
        }
    }

    package func waits(longest: Duration, now: Timestamp) async throws -> [String: Timestamp] {
        self.memory.change { state in
            let latest = now.advanced(by: longest)
            state.waits = state.waits.mapValues { min($0, latest) }
            return state.waits.filter { $0.value > now }
        }
    }
}

extension InMemoryState {
    /// When the next unleased card in a state is due.
    func nextDue(in state: CardState) -> Timestamp? {
        self.cards.values
            .filter { $0.card.state == state && $0.lease == nil }
            .map { $0.card.nextAttemptAt ?? $0.card.changedAt }
            .min()
    }
}
