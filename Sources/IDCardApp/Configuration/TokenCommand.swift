import Foundation
import IDCardCore

/// A command whose first line of output is the TOKEN (`delivery.token_command`).
struct TokenCommand: Hashable, Sendable {
    private let command: SecretCommand

    /// Takes the command for `/bin/sh -c` and the longest time that it may take.
    init(text: String, timeout: Duration) {
        self.command = SecretCommand(
            key: "delivery.token_command",
            timeoutKey: "delivery.token_timeout",
            expected: "the TOKEN as its first line",
            text: Redacted(text),
            timeout: timeout
        )
    }

    /// Runs the command.
    ///
    /// - Throws: ``ConfigurationError`` with the code `secretUnreadable`; `CancellationError`.
    func run() async throws -> Redacted<String> {
        let line = try await self.command.run().reveal().prefix { !$0.isNewline }
        let token = line.trimmingCharacters(in: .whitespaces)
        guard !token.isEmpty else { throw self.error("wrote no TOKEN in its first line") }
        let isClean = token.unicodeScalars.allSatisfy { !CharacterSet.controlCharacters.contains($0) }
        guard isClean else { throw self.error("wrote control characters in its first line") }
        return Redacted(token)
    }

    private func error(_ reason: String) -> ConfigurationError {
        ConfigurationError([self.command.problem(reason)])
    }
}
