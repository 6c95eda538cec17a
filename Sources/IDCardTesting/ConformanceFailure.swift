/// What a store did otherwise than it promised; thrown so that the suite needs no test framework.
package struct ConformanceFailure: Error, Sendable, CustomStringConvertible {
    /// What was expected and what was found.
    package var message: String
    /// Where it was expected, as `file:line`.
    package var location: String

    package var description: String { "\(self.message) (\(self.location))" }
}

func expect(
    _ condition: Bool,
    _ message: @autoclosure () -> String,
    file: StaticString = #fileID,
    line: UInt = #line
) throws {
    guard condition else { throw ConformanceFailure(message: message(), location: "\(file):\(line)") }
}

func expectEqual<Value: Equatable>(
    _ found: Value,
    _ expected: Value,
    _ what: String,
    file: StaticString = #fileID,
    line: UInt = #line
) throws {
    try expect(found == expected, "\(what): expected \(expected), found \(found)", file: file, line: line)
}

func require<Value>(
    _ value: Value?,
    _ what: String,
    file: StaticString = #fileID,
    line: UInt = #line
) throws -> Value {
    guard let value else { throw ConformanceFailure(message: "\(what) is missing", location: "\(file):\(line)") }
    return value
}
