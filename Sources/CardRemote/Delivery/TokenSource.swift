package import CardModel

/// Where the TOKEN of the business backend comes from.
package enum TokenSource: Sendable {
    /// It is configured (`delivery.token`).
    case value(Redacted<String>)
    /// It stands in a file (`delivery.token_file`): this closure reads it, again for every delivery.
    case file(@Sendable () throws(CodedError) -> Redacted<String>)
    /// A command prints it (`delivery.token_command`): this closure runs it, once and again when its TOKEN was refused.
    case command(@Sendable () async throws -> Redacted<String>)
}

/// The TOKEN that forms are written with.
actor CurrentToken {
    private let source: TokenSource
    private let partName: String
    private var fromCommand: Redacted<String>?
    private var isReading = false
    private var waiting: [CheckedContinuation<Void, Never>] = []

    init(source: TokenSource, partName: String) {
        self.source = source
        self.partName = partName
    }

    func current() async throws -> Redacted<String> {
        try await self.exclusively {
            if let known = self.fromCommand { return known }
            return try await self.read()
        }
    }

    /// Reads the source again and says whether it gives another TOKEN than a form was written with.
    ///
    /// A command that gave another one already is not run again: a TOKEN that is issued may end the one before.
    func isRenewed(since parts: [DeliveryPart]) async -> Bool {
        await self.exclusively {
            if let known = self.fromCommand, !self.holds(parts, known) { return true }
            // Without a TOKEN there is none to go on with; the next form says why.
            guard let token = try? await self.read() else { return false }
            return !self.holds(parts, token)
        }
    }

    nonisolated func token(in parts: [DeliveryPart]) -> Redacted<String>? {
        guard case .text(let token) = parts.first(where: { $0.name == self.partName })?.content else { return nil }
        return token
    }

    private func holds(_ parts: [DeliveryPart], _ token: Redacted<String>) -> Bool {
        parts.contains(.text(token.reveal(), name: self.partName))
    }

    private func read() async throws -> Redacted<String> {
        switch self.source {
        case .value(let token): return token
        case .file(let read): return try read()
        case .command(let run):
            let token = try await run()
            self.fromCommand = token
            return token
        }
    }

    /// Runs one body at a time, in the order of arrival.
    private func exclusively<Value>(_ body: () async throws -> Value) async rethrows -> Value {
        if self.isReading {
            await withCheckedContinuation { self.waiting.append($0) }
        } else {
            self.isReading = true
        }
        defer {
            if self.waiting.isEmpty { self.isReading = false } else { self.waiting.removeFirst().resume() }
        }
        return try await body()
    }
}
