import ArgumentParser
import CardModel

/// How a command writes a report: for people, or as one JSON object.
enum ReportFormat: String, CaseIterable, ExpressibleByArgument {
    case text, json
}

/// How a command writes lines that come one by one: for people, or as one JSON object a line.
enum LineFormat: String, CaseIterable, ExpressibleByArgument {
    case text, jsonl

    func print(_ report: some Report) async {
        switch self {
        case .text: await report.print(.text)
        case .jsonl: await Console.standardOutput(JSONText.line(report))
        }
    }
}

/// How a command writes a list: for people, as one JSON object, or as one JSON object a line.
enum OutputFormat: String, CaseIterable, ExpressibleByArgument {
    case text, json, jsonl

    /// Prints an element of a list; what is one JSON object is printed as a whole.
    func print(_ element: some Report) async { await LineFormat(rawValue: self.rawValue)?.print(element) }

    /// Prints a whole list; one JSON object has it under a name.
    func print(_ elements: [some Report], as name: String) async {
        if self == .json { await Console.standardOutput(JSONText.document([name: elements])) }
        for element in elements { await self.print(element) }
    }
}

/// A list that is printed element by element, as it is read: it may be longer than memory.
struct ListPrinter {
    let format: OutputFormat
    /// Under which name one JSON object has it.
    let name: String
    private var indent = "    "

    init(format: OutputFormat, name: String) {
        self.format = format
        self.name = name
    }

    func begin() async {
        if self.format == .json { await Console.standardOutput("{\n  \"\(self.name)\" : [") }
    }

    mutating func print(_ element: some Report) async throws {
        try Console.requireReader()
        guard self.format == .json else { return await self.format.print(element) }
        let text = JSONText.document(element).split(separator: "\n").joined(separator: "\n    ")
        await Console.standardOutput(self.indent + text)
        self.indent = "    ,"
    }

    func end() async {
        if self.format == .json { await Console.standardOutput("  ]\n}") }
    }
}

/// A report of a command: the same facts for programs and for people.
protocol Report: Encodable {
    var lines: [String] { get }
}

/// A report of one line, whatever stands in the names in it.
protocol ReportLine: Report {
    var text: String { get }
}

extension ReportLine {
    var lines: [String] { [self.text.oneLine] }
}

extension CardDocument: ReportLine {}

extension Array: Report where Element: Report {
    var lines: [String] { self.flatMap(\.lines) }
}

extension Report {
    func print(_ format: ReportFormat) async {
        switch format {
        case .text: for line in self.lines { await Console.standardOutput(Console.readable(line)) }
        case .json: await Console.standardOutput(JSONText.document(self))
        }
    }
}
