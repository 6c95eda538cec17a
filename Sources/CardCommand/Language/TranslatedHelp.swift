import CardModel

/// Translates the output of the parser from English: help, and the errors that people meet.
struct TranslatedHelp {
    private static let (width, indent) = (80, 26)

    let tree: CommandTree
    let catalogue: MessageCatalogue

    /// Translates the help of the command in the English usage line.
    func help(from english: String) -> String {
        let usage = english.firstMatch(of: /USAGE: (?<usage>(.+\n?)+)/)?.usage ?? ""
        let (command, path) = self.tree.command(at: usage.split { $0.isWhitespace }.dropFirst())
        let shown = (command.arguments ?? []).filter(\.shouldDisplay)
        var parts: [String] = []
        if let abstract = self.text(path, "abstract", command.abstract) { parts.append(Self.wrapped(abstract)) }
        if let discussion = self.text(path, "discussion", command.discussion) { parts.append(Self.wrapped(discussion)) }
        parts.append(Message.usageLine(usage.trimmed).text(in: self.catalogue))
        parts += self.section(
            .usageArguments,
            shown.filter { $0.kind == "positional" }.map { self.entry($0, at: path) }
        )
        parts += self.section(.usageOptions, shown.filter { $0.kind != "positional" }.map { self.entry($0, at: path) })
        let subcommands = (command.subcommands ?? []).filter { $0.shouldDisplay != false && $0.commandName != "help" }
        let entries = subcommands.map { child in
            Self.entry(child.commandName, self.text(path + [child.commandName], "abstract", child.abstract) ?? "")
        }
        parts += self.section(.usageSubcommands, entries)
        if !entries.isEmpty {
            let name = (["idcard-pipeline", "help"] + path + ["SUBCOMMAND"]).joined(separator: " ")
            parts.append(Message.usageMore(name).text(in: self.catalogue))
        }
        return parts.joined(separator: "\n\n")
    }

    /// Translates an error of the parser with its help, usage and hint, line by line; unknown lines stay.
    func error(from english: String) -> String {
        let usage = english.firstMatch(of: /(?m)^Usage: \S+(?<path>.*)$/)?.path ?? ""
        let (command, path) = self.tree.command(at: usage.split(separator: " "))
        return english.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let message: Message? =
                if let error = line.wholeMatch(of: /Error: (.+)/) {
                    .consoleError(Self.knownError(error.1) ?? .textVerbatim(String(error.1)))
                } else if let usage = line.wholeMatch(of: /Usage: (.+)/) {
                    .usageLine(String(usage.1))
                } else if let hint = line.wholeMatch(of: /\s+See '(.+)' for more information\./) {
                    .usageMore(String(hint.1))
                } else if let help = line.wholeMatch(of: /Help:  (.+?)  .*/) {
                    (command.arguments ?? []).first { $0.synopsis.hasSuffix(help.1) }.map { argument in
                        let text = self.text(path + [argument.word], "abstract", argument.abstract) ?? ""
                        return .usageOf(String(help.1), text)
                    }
                } else {
                    nil
                }
            return message?.text(in: self.catalogue) ?? String(line)
        }
        .joined(separator: "\n")
    }

    /// The message for a known error of the parser; values in it may be personal.
    private static func knownError(_ text: Substring) -> Message? {
        if let match = text.wholeMatch(of: /Unknown option '(.+?)'(?:\. Did you mean '(.+)'\?)?/) {
            let name = Redacted(String(match.1))
            return match.2.map { .parserMistypedOption(name, String($0)) } ?? .parserUnknownOption(name)
        }
        if let match = text.wholeMatch(of: /Missing value for '(.+)'/) { return .parserMissingValue(String(match.1)) }
        if let match = text.wholeMatch(of: /Missing expected argument '(.+)'/) {
            return .parserMissingArgument(String(match.1))
        }
        if let match = text.wholeMatch(of: /(?:Unexpected argument|\d+ unexpected arguments:) '(.+)'/) {
            return .parserUnexpected(Redacted(String(match.1).replacing("', '", with: " ")))
        }
        if let match = text.wholeMatch(
            of: /The value '(.*)' is invalid for '(.+?)'(?:\. Please provide one of (.+)\.|: .*)?/
        ) {
            let values = match.3.map { $0.matches(of: /'(.+?)'/).map { String($0.1) } } ?? []
            let (value, name) = (Redacted(String(match.1)), String(match.2))
            return values.isEmpty ? .parserInvalidValue(value, name) : .parserInvalidWord(value, name, values)
        }
        return nil
    }

    // MARK: Pieces

    /// The translation of a help text; without one, the English text.
    private func text(_ path: [String], _ key: String, _ english: String?) -> String? {
        guard let english, !english.isEmpty else { return nil }
        return self.catalogue.text(of: (["help"] + path + [key]).joined(separator: ".")) ?? english
    }

    private func section(_ title: Message, _ entries: [String]) -> [String] {
        entries.isEmpty ? [] : [([title.text(in: self.catalogue)] + entries).joined(separator: "\n")]
    }

    private func entry(_ argument: CommandTree.Argument, at path: [String]) -> String {
        let path = path + [argument.word]
        var text = self.text(path, "abstract", argument.abstract) ?? ""
        switch (argument.allValues, argument.defaultValue) {
        case (let values?, let value?): text += Message.usageValuesDefault(values, value).text(in: self.catalogue)
        case (let values?, nil): text += Message.usageValues(values).text(in: self.catalogue)
        case (nil, let value?): text += Message.usageDefault(value).text(in: self.catalogue)
        case (nil, nil): break
        }
        if let discussion = self.text(path, "discussion", argument.discussion) { text += "\n" + discussion }
        return Self.entry(argument.synopsis, text)
    }

    private static func entry(_ name: String, _ text: String) -> String {
        let start = "  " + name
        let lines = self.wrapped(text, to: self.width - self.indent).split(separator: "\n")
        let indented = lines.map { String(repeating: " ", count: self.indent) + $0 }.joined(separator: "\n")
        guard start.columns < self.indent else { return start + (lines.isEmpty ? "" : "\n" + indented) }
        return start.padded(to: self.indent) + indented.dropFirst(self.indent)
    }

    // A Chinese character or a word, with the opening signs before it, which must not end a line, and the closing signs after
    // it, which must not begin one; or blanks.
    // A regex is not Sendable, but this one is only read.
    private nonisolated(unsafe) static let piece =
        /[（“]*(?:[\u{2E80}-\u{FFEF}]|[^\s\u{2E80}-\u{FFEF}]+)[，。；：、）！？”]*|\s+/

    /// Breaks lines between words, and between Chinese characters, but not before a sign that ends a clause.
    static func wrapped(_ text: String, to width: Int = width) -> String {
        text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            // An indented line is a table or a command.
            guard !line.hasPrefix("  ") else { return String(line) }
            var (lines, current) = ([String](), "")
            for match in line.matches(of: Self.piece) {
                if current.columns + String(match.output).columns > width, !current.isEmpty {
                    lines.append(current.trimmed)
                    current = ""
                }
                if !current.isEmpty || match.output.first?.isWhitespace == false { current += match.output }
            }
            return (lines + [current.trimmed]).joined(separator: "\n")
        }
        .joined(separator: "\n")
    }
}
