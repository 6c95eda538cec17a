import CardInput
import CardModel

// Each message stands on one line.
// swift-format-ignore
extension Message {
    static func consoleError(_ message: Message) -> Self { Self("console.error", "error: \(message)") }
    static func consoleWarning(_ message: Message) -> Self { Self("console.warning", "warning: \(message)") }
    static func consoleNote(_ message: Message) -> Self { Self("console.note", "note: \(message)") }
    static func consoleLeftOut(_ lines: Int) -> Self { Self("console.left_out", one: "\(count: lines) line is missing here, because the program that reads this output was too slow", other: "\(count: lines) lines are missing here, because the program that reads this output was too slow") }
    static func outputFailed(_ error: Int32, _ reassurance: Message) -> Self { Self("output.failed", "cannot write standard output: \(errno: error); \(reassurance)") }
    static let outputSaved = Self("output.saved", "the work itself was saved")
    static func outputUnforeseen(_ domain: String, _ number: Int) -> Self { Self("output.unforeseen", "unexpected error (\(code: domain) \(number)); finished work is safe in the sandbox; run the same command again, and report this code if it fails again") }
    static func outputSkipped(_ counts: [String: Int]) -> Self { Self("output.skipped", "files skipped because of their names: \(codes: rules(counts))").telling(of: counts) }
    static func outputSkippedInSource(_ source: String, _ counts: [String: Int]) -> Self { Self("output.skipped_in_source", "source \(code: source): files skipped because of their names: \(codes: rules(counts))").telling(of: counts) }
    static func outputSkippedInFolder(_ folder: Redacted<String>, _ counts: [String: Int]) -> Self { Self("output.skipped_in_folder", "watched folder \(folder): files skipped because of their names: \(codes: rules(counts))").telling(of: counts) }
    static func outputInICloud(_ skipped: Message) -> Self { Self("output.in_icloud", "\(skipped); names with .icloud at the end stand for files that are not downloaded from iCloud; download the files on the Mac") }

    private func telling(of counts: [String: Int]) -> Self { counts[IgnoredNames.iCloud] == nil ? self : .outputInICloud(self) }

    /// The rules (`*.bak`), each with its number of files and folders: the names themselves may identify a person.
    private static func rules(_ counts: [String: Int]) -> [String] { counts.sorted { $0.key < $1.key }.map { "\($0.key) (\($0.value))" } }
}
