package import IDCardCore
package import IDCardPipeline

extension InMemoryStore {
    package func beginPreparing(_ digest: ContentDigest) async throws -> Preparing {
        self.memory.change { state in
            var slot = 0
            while state.preparing[self.owner]?[slot] != nil { slot += 1 }
            state.preparing[self.owner, default: [:]][slot] = digest
            return Preparing(digest: digest, slot: slot, crashes: state.crashes[digest, default: 0])
        }
    }

    package func endPreparing(_ preparing: Preparing, survived: Bool) async throws {
        self.memory.change { state in
            state.preparing[self.owner]?[preparing.slot] = nil
            if survived { state.crashes[preparing.digest] = nil }
        }
    }

    package func space() async -> StoreSpace { self.memory.look { $0.space } }

    /// Lets admissions fail, or not any more.
    package func setAdmissionError(_ error: StoreError?) {
        self.memory.change { $0.admissionError = error }
    }

    /// Lets every look for expired cards fail, or not any more.
    package func failRetention(with error: StoreError?) {
        self.memory.change { $0.retentionError = error }
    }

    /// Whether anybody has looked for expired cards.
    package var hasLookedForExpired: Bool { self.memory.look { $0.hasLookedForExpired } }

    /// How often somebody asked for what was cut short to be finished.
    package var finishedErasures: Int { self.memory.look { $0.finishedErasures } }

    /// Makes room scarce, or not any more.
    package func setSpace(_ space: StoreSpace) {
        self.memory.change { $0.space = space }
    }
}
