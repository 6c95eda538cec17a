/// Who touches personal data, and why: what the access log says of a person or of the engine.
package struct AccessOrigin: Hashable, Sendable {
    /// The longest actor or purpose that is written down, in characters; more is cut off.
    package static let maximumLength = 200
    /// The purpose of a person who gives none.
    package static let notGiven = "not given"

    /// Who, such as `root:cards show`, `engine:` and the name of a process, or `engine:retention`.
    package let actor: String
    /// Why, in the words of whoever asks; must not name the holder of a card.
    package let purpose: String

    /// Names who and why; control characters become spaces, an empty purpose counts as not given.
    package init(actor: String, purpose: String? = nil) {
        self.actor = Self.bounded(actor)
        let purpose = Self.bounded(purpose ?? "")
        self.purpose = purpose.isEmpty ? Self.notGiven : purpose
    }

    /// The engine of one process, at work in a stage.
    package static func engine(_ owner: String, purpose: String) -> AccessOrigin {
        AccessOrigin(actor: "engine:\(owner)", purpose: purpose)
    }

    private static func bounded(_ text: String) -> String {
        // What the engine says of itself, twice for every card.
        let isPlain = text.utf8.count <= Self.maximumLength && text.utf8.allSatisfy { 0x20...0x7E ~= $0 }
        if isPlain, text.utf8.first != 0x20, text.utf8.last != 0x20 { return text }
        let plain = text.unicodeScalars.map { $0.properties.generalCategory == .control ? " " : String($0) }.joined()
        return String(plain.prefix(Self.maximumLength)).trimmedOfSpaces
    }
}

extension String {
    fileprivate var trimmedOfSpaces: String {
        String(self.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
