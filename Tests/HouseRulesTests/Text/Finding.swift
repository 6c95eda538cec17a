/// A place where a house rule is broken.
struct Finding: Hashable, CustomStringConvertible {
    /// The path below the project's root.
    var path: String
    /// The line, counted from 1.
    var line: Int
    /// What is wrong.
    var message: String

    var description: String { "\(self.path):\(self.line): \(self.message)" }
}

extension [Finding] {
    /// One finding per line.
    var report: String { "\(self.count) findings:\n" + self.map(\.description).joined(separator: "\n") }
}
