package import IDCardCore
package import IDCardPipeline

extension InMemoryStore {
    package func announce(_ inputs: [AwaitedInput], foundIn sources: Set<InputSource>, now: Timestamp) async throws {
        self.memory.change { state in
            state.awaited = state.awaited.filter { key, isRefused in
                guard sources.contains(key.source) else { return true }
                return !isRefused && key.owner != self.owner && state.livingOwners.contains(key.owner)
            }
            state.add(inputs, by: self.owner, now: now)
        }
    }

    package func add(_ inputs: [AwaitedInput], now: Timestamp) async throws {
        self.memory.change { $0.add(inputs, by: self.owner, now: now) }
    }

    package func end(_ inputs: [AwaitedInput]) async throws {
        self.memory.change { state in
            for input in inputs {
                state.endAwaiting(InMemoryState.FilePlace(path: input.path, businessNumber: input.businessNumber))
            }
        }
    }

    package func hasCard(of input: AwaitedInput) async throws -> Bool {
        let place = InMemoryState.FilePlace(path: input.path, businessNumber: input.businessNumber)
        return self.memory.look { $0.files[place] != nil }
    }

    package func awaitsInputs() async throws -> Bool { self.memory.look { !$0.awaited.isEmpty } }

    package func awaitsInputs(of sources: Set<InputSource>) async throws -> Bool {
        self.memory.look { $0.awaited.keys.contains { sources.contains($0.source) } }
    }

    package func keepAwaiting(now: Timestamp) async throws {
        self.memory.change { $0.heartbeats[self.owner] = now }
    }

    package func applicationsAwaitingInputs() async throws -> [BusinessNumber] {
        self.memory.look { state in
            state.numbersWithVerifiedCards.filter { !state.awaitedInputs(of: $0).isEmpty }
        }
    }
}

extension InMemoryState {
    /// The business numbers that have a `verified` card.
    var numbersWithVerifiedCards: [BusinessNumber] {
        Set(self.cards.values.filter { $0.card.state == .verified }.map(\.card.metadata.businessNumber))
            .sorted { $0.rawValue < $1.rawValue }
    }

    /// Ends what is known of an input that became a card, or comes no more.
    mutating func endAwaiting(_ place: FilePlace) {
        self.awaited = self.awaited.filter { $0.key.place != place }
    }

    /// What is awaited under a business number.
    func awaitedInputs(of number: BusinessNumber) -> AwaitedInputs {
        var awaited = AwaitedInputs()
        for (key, isRefused) in self.awaited where key.place.businessNumber == number {
            let isAlive = self.livingOwners.contains(key.owner)
            awaited.add(1, isRefused: isRefused, lastHeartbeat: isAlive ? nil : self.heartbeats[key.owner])
        }
        return awaited
    }

    /// The business numbers with a `verified` card of which other living owners expect an input.
    func applicationsExpectedElsewhere(than owner: Int) -> [BusinessNumber] {
        let expected = self.awaited.filter { key, isRefused in
            !isRefused && key.owner != owner && self.livingOwners.contains(key.owner)
        }
        let numbers = Set(expected.keys.map(\.place.businessNumber))
        return self.numbersWithVerifiedCards.filter(numbers.contains)
    }

    fileprivate mutating func add(_ inputs: [AwaitedInput], by owner: Int, now: Timestamp) {
        for input in inputs {
            let place = FilePlace(path: input.path, businessNumber: input.businessNumber)
            self.awaited = self.awaited.filter { key, _ in
                key.place != place || (key.owner != owner && self.livingOwners.contains(key.owner))
            }
            self.awaited[AwaitedKey(place: place, source: input.source, owner: owner)] = input.isRefused
        }
        self.heartbeats[owner] = now
    }
}
