extension CardText.BirthDate {
    /// The month in two digits.
    var paddedMonth: String { Self.padded(self.month) }
    /// The day in two digits.
    var paddedDay: String { Self.padded(self.day) }

    private static func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
