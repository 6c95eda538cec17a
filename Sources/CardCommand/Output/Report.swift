import ArgumentParser
import CardModel

/// How a command writes a report: for people, or as one JSON object.
enum ReportFormat: String, CaseIterable, ExpressibleByArgument {
    case text, json
}

/// How a command writes lines that come one by one: for people, or as one JSON object a line.
enum LineFormat: String, CaseIterable, ExpressibleByArgument {
    case text, jsonl

    func print(_ line: some ReportLine) async {
        await Console.standardOutput(self == .text ? Console.readable(line.text.oneLine) : JSONText.line(line))
    }
}

/// How a command writes a list: for people, as one JSON object, or as one JSON object a line.
enum OutputFormat: String, CaseIterable, ExpressibleByArgument {
    case text, json, jsonl

    /// Prints an element of a list; what is one JSON object is printed as a whole.
    func print(_ line: some ReportLine) async { await LineFormat(rawValue: self.rawValue)?.print(line) }
}

extension Int {
    /// So many of something, in words.
    func of(_ noun: String) -> String { "\(self) \(noun)\(self == 1 ? "" : "s")" }
}

/// An element of a list: the same facts for programs and for people.
protocol ReportLine: Encodable {
    var text: String { get }
}

extension CardDocument: ReportLine {}

/// A report of a command: the same facts for programs and for people.
protocol Report: Encodable {
    var lines: [String] { get }
}

extension Report {
    func print(_ format: ReportFormat) async {
        switch format {
        case .text: for line in self.lines { await Console.standardOutput(Console.readable(line)) }
        case .json: await Console.standardOutput(JSONText.document(self))
        }
    }
}
