import ArgumentParser
import CardModel

/// Reads the path of an option. An unset variable (`--output "$DIR"`) gives an empty one, which must not mean the root
/// or the working directory.
@Sendable func path(_ text: String) throws -> String {
    guard !text.isEmpty else { throw ValidationError(.optionsPathEmpty) }
    return text
}

extension Option<String?> {
    /// Declares an option with a path.
    init(path help: ArgumentHelp, completion: CompletionKind = .file()) {
        self.init(help: help, completion: completion, transform: path)
    }
}

/// Reads an option whose value is one of several words.
@Sendable func word<Word: RawRepresentable<String> & CaseIterable & Sendable>(_ text: String) throws -> Word {
    if let word = Word(rawValue: text) { return word }
    throw ValidationError(.optionsWord(Word.allCases.map(\.rawValue)))
}

extension ValidationError {
    init(_ message: Message) { self.init(message.text()) }
}
