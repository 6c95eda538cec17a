import CLanguages
import Foundation

/// A language of messages: English, or one of `CLanguages`. Its raw value is its short code, such as `zh`.
package struct Language: RawRepresentable, CaseIterable, Hashable, Sendable {
    package static let english = Language(tag: "en")
    package static let allCases = [Language.english] + Self.listed.map(\.language)

    /// The BCP 47 tag, such as `zh-Hans`.
    package let tag: String

    package var rawValue: String { String(self.tag.prefix { $0 != "-" }) }

    package init?(rawValue: String) {
        guard let known = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = known
    }

    private init(tag: String) { self.tag = tag }

    /// The texts of the language. For English, ``catalogues`` is not touched, which would parse all other languages.
    package var catalogue: MessageCatalogue { self == .english ? .english : Self.catalogues[self] ?? .english }

    /// The name of the language in the language itself.
    package var name: String { Message.languageName.text(in: self.catalogue) }

    private static let listed: [(language: Language, texts: String)] = {
        var (found, remaining) = ([(language: Language, texts: String)](), idcl_languages())
        while let tag = remaining?.pointee.tag, let texts = remaining?.pointee.texts {
            found.append((Language(tag: String(cString: tag)), String(cString: texts)))
            remaining = remaining?.successor()
        }
        return found
    }()

    private static let catalogues = Dictionary(
        uniqueKeysWithValues: Self.listed.map { language, json in
            // A test reads all languages, so this never fails in a release.
            guard let texts = try? JSONDecoder().decode([String: String].self, from: Data(json.utf8)) else {
                preconditionFailure("the texts of \(language.tag) are no object of texts")
            }
            return (language, MessageCatalogue(language, texts: texts))
        }
    )
}
