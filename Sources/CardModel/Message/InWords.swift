/// A message that JSON shows as text in the reader's language; `null` without a message.
@propertyWrapper package struct InWords<Value: MessageOrNone>: Encodable, Sendable {
    package var wrappedValue: Value

    package init(wrappedValue: Value) { self.wrappedValue = wrappedValue }

    package func encode(to encoder: any Encoder) throws { try self.wrappedValue.shownText.encode(to: encoder) }
}

extension InWords: Equatable, Hashable where Value: Hashable {}

/// A ``Message``, or one that may be missing.
package protocol MessageOrNone: Sendable { var shownText: String? { get } }

extension Message: MessageOrNone { package var shownText: String? { self.text() } }

extension Message?: MessageOrNone { package var shownText: String? { self?.text() } }
