package import CardModel

/// The source of the backend's TOKEN.
package enum TokenSource: Sendable {
    /// The configuration (`delivery.token`).
    case value(Redacted<String>)
    /// A file (`delivery.token_file`), which this closure reads for every delivery.
    case file(@Sendable () throws(CodedError) -> Redacted<String>)
    /// A command that prints the TOKEN (`delivery.token_command`); the closure runs it. It is run once, and again after each
    /// refusal of the TOKEN that it gave.
    case command(@Sendable () async throws -> Redacted<String>)
}

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

    /// Returns the TOKEN for a new form; runs a command only if it has given none yet.
    func current() async throws -> Redacted<String> {
        try await self.exclusively {
            if let known = self.fromCommand { return known }
            return try await self.read()
        }
    }

    /// Reads the source again, and returns whether its TOKEN differs from the one in a form. If a command has already given
    /// another TOKEN, the command is not run again, since a new TOKEN may invalidate that one.
    func isRenewed(since parts: [DeliveryPart]) async -> Bool {
        await self.exclusively {
            if let known = self.fromCommand, !self.holds(parts, known) { return true }
            // Fallback of an error: not renewed. The next form reports the error.
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
