import CardModel

// Errors of the sandbox itself.
extension CodedError {
    static func busy(_ message: Message) -> CodedError { CodedError(.sandboxBusy, .temporary, message) }
    static func damaged(_ message: Message) -> CodedError { CodedError(.sandboxDamaged, .storage, message) }
    static func unavailable(_ message: Message) -> CodedError { CodedError(.sandboxUnavailable, .storage, message) }
    static func wrongSandbox(_ message: Message) -> CodedError { CodedError(.wrongSandbox, .configuration, message) }
}

extension CardStore {
    static let busy = CodedError.busy(.sandboxBusy)

    /// Runs a change or a query, and translates the database's errors into those that people see.
    static func translating<Value>(_ body: () async throws -> Value) async throws -> Value {
        do { return try await body() } catch { throw Self.meaning(of: error) }
    }

    /// Reads one snapshot of the sandbox; see ``Database/read(at:_:)``.
    func read<Value: Sendable>(
        at time: Timestamp? = nil,
        _ body: @escaping @Sendable (Transaction) throws -> Value
    ) async throws -> Value {
        try await Self.translating { try await self.database.read(at: time, body) }
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
        try await Self.translating {
            try await self.database.write(
                at: time,
                locking: numbers.map(\.key).sorted(),
                byteCount: byteCount,
                usesReserve: usesReserve
            ) { tx in
                let value = try change(tx)
                try Self.setCaseStates(in: tx)
                return value
            }
        }
    }

    static func meaning(of error: any Error) -> any Error {
        guard let error = Database.translated(error) as? DatabaseError else { return error }
        switch error.kind {
        case .busy: return Self.busy
        case .full: return CodedError(.diskSpaceLow, .storage, .sandboxFull)
        case .outcomeUnknown: return CodedError.unavailable(.sandboxNotDurable)
        case .damaged: return CodedError.damaged(.sandboxDamaged)
        case .unavailable: return CodedError.unavailable(.sandboxUnavailable(error.text))
        case .replaced: return CodedError.unavailable(.sandboxReplaced)
        case .statement: return CodedError.damaged(.sandboxRule(error.text))
        }
    }
}
