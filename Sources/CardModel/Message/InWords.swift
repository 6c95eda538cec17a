/// A message in a document, written in the reader's language; `null` without a message.
@propertyWrapper package struct InWords<Value: WordsOrNone>: Encodable, Sendable {
    package var wrappedValue: Value

    package init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

    package func encode(to encoder: any Encoder) throws { try self.wrappedValue.words.encode(to: encoder) }
}

extension InWords: Equatable, Hashable where Value: Hashable {}

/// A ``Message``, or one that may be missing.
package protocol WordsOrNone: Sendable {
    var words: String? { get }
}

extension Message: WordsOrNone {
    package var words: String? { self.text() }
}

extension Message?: WordsOrNone {
    package var words: String? { self?.text() }
}
