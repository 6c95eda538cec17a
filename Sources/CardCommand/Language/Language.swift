import ArgumentParser
import CardModel
import Synchronization

extension Language {
    /// The language of the locale (locale(7)) in LC_ALL, else LC_MESSAGES, else LANG. We write UTF-8, so a locale with
    /// another encoding gets English, whose characters all encodings have.
    init(environment: [String: String]) {
        let names = ["LC_ALL", "LC_MESSAGES", "LANG"].lazy.compactMap { environment[$0] }
        let match = names.first { !$0.isEmpty }?.wholeMatch(of: /([a-z]+)(_[A-Za-z]+)?(\.(.+?))?(@.*)?/)
        let encoding = match?.4.map { $0.lowercased().filter(\.isLetter) }
        self = match.flatMap { [nil, "utf"].contains(encoding) ? Language(rawValue: String($0.1)) : nil } ?? .english
    }

    /// Sets the language of `--lang`, which overrides all else.
    static func choose(_ word: String?) throws(ValidationError) {
        let known = Self.allCases.map(\.rawValue)
        guard let word else { throw ValidationError(.languageMissing(known)) }
        guard let language = Language(rawValue: word) else {
            throw ValidationError(.languageUnknown(Redacted(word), known))
        }
        Self.wasChosen.withLock { $0 = true }
        MessageCatalogue.speak(language.catalogue)
    }

    /// Sets the language of the configuration, unless `--lang` was given.
    static func prefer(_ language: Language?) {
        guard let language, !Self.wasChosen.withLock(\.self) else { return }
        MessageCatalogue.speak(language.catalogue)
    }

    private static let wasChosen = Mutex(false)

    /// Removes `--lang` from the arguments of a command line, before these are parsed.
    ///
    /// - Returns: `nil` without the option; else its value, which may be missing.
    static func removeOption(from arguments: inout [String]) -> String?? {
        let end = arguments.firstIndex(of: "--") ?? arguments.endIndex
        guard let index = arguments[..<end].firstIndex(where: { $0 == "--lang" || $0.hasPrefix("--lang=") }) else {
            return nil
        }
        let argument = arguments.remove(at: index)
        var value: String? = nil
        if argument != "--lang" {
            value = String(argument.dropFirst("--lang=".count))
        } else if index < end - 1 {
            value = arguments.remove(at: index)
        }
        // Of several, the last one counts.
        return Self.removeOption(from: &arguments) ?? .some(value)
    }
}
