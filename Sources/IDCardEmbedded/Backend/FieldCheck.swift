/// Checks the value of a text part.
enum FieldCheck {
    /// Characters of a field's value at most.
    static let maximumLength = 200

    /// The value of a part.
    ///
    /// - Throws: ``Submission/Refusal`` with the reason `field`.
    static func value(of part: ReceivedForm.Part, named name: String) throws(Submission.Refusal) -> String {
        guard let value = part.text else { throw self.refusal("\(name) is not UTF-8") }
        guard !value.isEmpty else { throw self.refusal("\(name) is empty") }
        guard value.count <= self.maximumLength else {
            throw self.refusal("\(name) is longer than \(self.maximumLength) characters")
        }
        guard value.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }),
            value.unicodeScalars.contains(where: { !$0.properties.isWhitespace })
        else {
            throw self.refusal("\(name) holds control characters or only blanks")
        }
        return value
    }

    private static func refusal(_ text: String) -> Submission.Refusal {
        Submission.Refusal(reason: .field, text: text)
    }
}
