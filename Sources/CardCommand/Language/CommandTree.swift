import Foundation

/// The commands and options as the parser describes them (`--experimental-dump-help`): the parts that help texts show.
struct CommandTree: Decodable {
    struct Command: Decodable {
        let commandName: String
        let abstract: String?
        let discussion: String?
        let shouldDisplay: Bool?
        let subcommands: [Command]?
        let arguments: [Argument]?
    }

    struct Argument: Decodable {
        struct Name: Decodable {
            let kind: String
            let name: String

            var text: String { (self.kind == "long" ? "--" : "-") + self.name }
        }

        let kind: String
        let shouldDisplay: Bool
        let names: [Name]?
        let preferredName: Name?
        let valueName: String?
        let defaultValue: String?
        let allValues: [String]?
        let abstract: String?
        let discussion: String?

        /// The written form, such as `-o, --output <file>`.
        var synopsis: String {
            let value = self.kind == "flag" ? nil : self.valueName.map { "<\($0)>" }
            let names = (self.names ?? []).map(\.text).sorted { $0.count < $1.count }.joined(separator: ", ")
            return [names.isEmpty ? nil : names, value].compactMap(\.self).joined(separator: " ")
        }

        /// The last part of the ids of its texts.
        var word: String { self.preferredName?.name ?? self.valueName ?? "" }
    }

    let command: Command

    /// - Parameter dump: the description as JSON.
    init(_ dump: String) throws { self = try JSONDecoder().decode(Self.self, from: Data(dump.utf8)) }

    /// The command named by the words of a usage line, and its path below the program's name.
    func command(at words: some Sequence<Substring>) -> (command: Command, path: [String]) {
        var (found, path) = (self.command, [String]())
        for word in words {
            guard let next = found.subcommands?.first(where: { $0.commandName == word }) else { break }
            path.append(next.commandName)
            found = next
        }
        return (found, path)
    }
}
