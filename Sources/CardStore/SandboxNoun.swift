import CardModel

/// One part of the sandbox's functions; all parts share the database and the vault.
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

/// Admits photos, amends cards of photos that are sent again, and tells whether there is room for more.
package struct SandboxIntake: SandboxNoun { let sandbox: Sandbox }

/// Claims cards to fetch, prepare and verify, and stores the outcomes.
package struct SandboxStages: SandboxNoun { let sandbox: Sandbox }

/// Decides which cards go together, forms deliveries, repeats and concludes them.
package struct SandboxDeliveries: SandboxNoun { let sandbox: Sandbox }

/// Stores which endpoints pause, since when and why.
package struct SandboxEndpoints: SandboxNoun { let sandbox: Sandbox }

/// Stores what people decide about cards, and carries it out.
package struct SandboxDecisions: SandboxNoun { let sandbox: Sandbox }

/// Lists cards, cases and their history.
package struct SandboxListings: SandboxNoun { let sandbox: Sandbox }

/// Manages workers and runs, erases cards, makes and restores backups, changes keys, and checks the sandbox.
package struct SandboxUpkeep: SandboxNoun { let sandbox: Sandbox }

/// Reads and changes the state, image, source and reading of a card, for all parts.
struct CardRecords: SandboxNoun { let sandbox: Sandbox }

// Errors of the sandbox itself.
extension CodedError {
    static func busy(_ message: Message) -> CodedError { CodedError(.sandboxBusy, .temporary, message) }
    static func damaged(_ message: Message) -> CodedError { CodedError(.sandboxDamaged, .storage, message) }
    static func unavailable(_ message: Message) -> CodedError { CodedError(.sandboxUnavailable, .storage, message) }
    static func wrongSandbox(_ message: Message) -> CodedError { CodedError(.wrongSandbox, .configuration, message) }
}
