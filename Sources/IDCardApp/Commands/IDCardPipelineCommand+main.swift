package import ArgumentParser

extension IDCardPipelineCommand {
    /// Runs what the command line of the process asks for, and ends the process.
    package static func runToEnd(_ arguments: [String] = Array(CommandLine.arguments.dropFirst())) async -> Never {
        do {
            var command = try Self.parseAsRoot(arguments)
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch where Self.exitCode(for: error).isSuccess {
            // Help, the version, a completion script.
            Self.exit(withError: error)
        } catch {
            let message = Self.fullMessage(for: error)
            if !message.isEmpty { Console.standardError(Self.told(message, of: arguments)) }
            Self.exit(withError: Self.exitCode(for: error))
        }
        Self.exit()
    }

    /// The words of the parser as ours: `error:` as everywhere else, and the command that was meant.
    static func told(_ message: String, of arguments: [String]) -> String {
        let prefix = "Error: "
        guard message.hasPrefix(prefix) else { return message }
        guard let (word, known) = Self.unknownCommand(in: arguments) else {
            return "error: " + message.dropFirst(prefix.count)
        }
        let meant = KeySuggestion.closest(to: word, among: known)
        let advice = meant.map { "; did you mean \($0)?" } ?? ": one of \(known.joined(separator: ", "))"
        let rest = message.split(separator: "\n", omittingEmptySubsequences: false).dropFirst()
        return (["error: there is no command \(word)\(advice)"] + rest.map(String.init)).joined(separator: "\n")
    }

    /// The first word that stands where a command must stand and is none, with those that there are.
    private static func unknownCommand(in arguments: [String]) -> (word: String, known: [String])? {
        var commands = Self.configuration.subcommands
        for word in arguments {
            guard !commands.isEmpty, !word.hasPrefix("-") else { return nil }
            let known = commands.compactMap(\.configuration.commandName)
            guard known.contains(word) else { return word == "help" ? nil : (word, known) }
            commands = commands.first { $0.configuration.commandName == word }?.configuration.subcommands ?? []
        }
        return nil
    }
}
