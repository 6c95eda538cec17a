import CardModel

/// A part of what the sandbox does, over the same database and vault.
protocol SandboxNoun: Sendable { var sandbox: Sandbox { get } }

extension SandboxNoun {
    var vault: Vault { self.sandbox.vault }
    var records: CardRecords { CardRecords(sandbox: self.sandbox) }

    /// Reads one snapshot of the sandbox; see ``Database/read(at:_:)``.
    func read<Value: Sendable>(
        at time: Timestamp? = nil,
        _ body: @escaping @Sendable (Transaction) throws -> Value
    ) async throws -> Value {
        try await Sandbox.translating { try await self.sandbox.database.read(at: time, body) }
    }

    /// Makes a change, whole or not at all; see ``Database/write(at:locking:byteCount:usesReserve:_:)``.
    @discardableResult
    func write<Value: Sendable>(
        at time: Timestamp? = nil,
        locking numbers: [BusinessNumber] = [],
        byteCount: Int = 0,
        usesReserve: Bool = true,
        _ change: @escaping @Sendable (Transaction) throws -> Value
    ) async throws -> Value {
        try await Sandbox.translating {
            try await self.sandbox.database.write(
                at: time,
                locking: numbers.map(\.key).sorted(),
                byteCount: byteCount,
                usesReserve: usesReserve
            ) { tx in
                let value = try change(tx)
                try CaseRow.setCaseStates(in: tx)
                return value
            }
        }
    }
}

/// Admits photos, amends cards that are sent again, and says whether there is room for more.
package struct SandboxIntake: SandboxNoun { let sandbox: Sandbox }

/// Claims cards to fetch, prepare and verify, and concludes what came of them.
package struct SandboxStages: SandboxNoun { let sandbox: Sandbox }

/// Decides which cards go together, forms deliveries, repeats and concludes them.
package struct SandboxDeliveries: SandboxNoun { let sandbox: Sandbox }

/// Says which endpoints pause, since when and why.
package struct SandboxEndpoints: SandboxNoun { let sandbox: Sandbox }

/// Stores what people decide about cards, and carries it out.
package struct SandboxDecisions: SandboxNoun { let sandbox: Sandbox }

/// Shows cards, cases and what happened to them.
package struct SandboxListings: SandboxNoun { let sandbox: Sandbox }

/// Workers, runs, erasure, retention, backups, keys and checks.
package struct SandboxUpkeep: SandboxNoun { let sandbox: Sandbox }

/// The state, image, source and reading of a card, which every noun reads and changes.
struct CardRecords: SandboxNoun { let sandbox: Sandbox }

// Errors of the sandbox itself.
extension CodedError {
    static func busy(_ message: Message) -> CodedError { CodedError(.sandboxBusy, .temporary, message) }
    static func damaged(_ message: Message) -> CodedError { CodedError(.sandboxDamaged, .storage, message) }
    static func unavailable(_ message: Message) -> CodedError { CodedError(.sandboxUnavailable, .storage, message) }
    static func wrongSandbox(_ message: Message) -> CodedError { CodedError(.wrongSandbox, .configuration, message) }
}
