/// Yes or no as people write it in configuration: `true` or `false`, and the other words YAML has for them.
package enum BooleanText {
    /// The form in words, for messages.
    package static let expectation = "true or false"

    /// Reads a word, in any case; `nil` if it is another. Numbers are refused: `1` is more often a count.
    package static func parse(_ text: String) -> Bool? {
        switch text.lowercased() {
        case "true", "yes", "on": true
        case "false", "no", "off": false
        default: nil
        }
    }
}
