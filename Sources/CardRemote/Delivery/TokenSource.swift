package import CardModel

/// The source of the backend's TOKEN.
package enum TokenSource: Sendable {
    /// The configuration (`delivery.token`).
    case value(Redacted<String>)
    /// A file (`delivery.token_file`), which this closure reads for every delivery.
    case file(@Sendable () throws(CodedError) -> Redacted<String>)
    /// A command that prints it (`delivery.token_command`); the closure runs it once, and after each refusal of its TOKEN.
    case command(@Sendable () async throws -> Redacted<String>)
}

/// The current TOKEN for forms.
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

    /// Reads the source again and returns whether its TOKEN differs from that of a form.
    ///
    /// If the command has already given another TOKEN, it is not run again: issuing a TOKEN may invalidate the previous one.
    func isRenewed(since parts: [DeliveryPart]) async -> Bool {
        await self.exclusively {
            if let known = self.fromCommand, !self.holds(parts, known) { return true }
            // Without a TOKEN there is no renewal; the next form reports why.
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
