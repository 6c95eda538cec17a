package import CardModel

// What a test says needs no id.
extension Message: ExpressibleByStringLiteral {
    package init(stringLiteral value: String) {
        self.init("test.text", Text(stringLiteral: value))
    }
}
