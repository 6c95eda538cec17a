import ArgumentParser
import CardModel
import CardServer

/// How a command writes a report: for people, or as one JSON object.
enum ReportFormat: String, CaseIterable, ExpressibleByArgument {
    case text, json
}

/// How a command writes lines one by one: for people, or as one JSON object a line.
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

    /// Prints an element of a list at once, except in a single JSON object.
    func print(_ element: some Report) async { await LineFormat(rawValue: self.rawValue)?.print(element) }

    /// Prints a whole list; as one JSON object, under a name.
    func print(_ elements: [some Report], as name: String) async {
        if self == .json { await Console.standardOutput(JSONText.document([name: elements])) }
        for element in elements { await self.print(element) }
    }
}

/// A list that is printed while it is read, some elements at a time: it may be larger than memory.
struct ListPrinter {
    /// How many bytes are collected before they are written.
    private static let portion = 65_536

    let format: OutputFormat
    /// The name of the list in one JSON object.
    let name: String
    private(set) var indent = "    "
    /// The rows that are not written yet.
    private(set) var waiting = ""

    func begin() async {
        if self.format == .json { await Console.standardOutput("{\n  \"\(self.name)\" : [") }
    }

    mutating func print(_ element: some Report) async throws {
        switch self.format {
        case .text: for line in element.lines { try await self.print(Console.readable(line)) }
        case .jsonl: try await self.print(JSONText.line(element))
        case .json:
            let text = JSONText.document(element).split(separator: "\n").joined(separator: "\n    ")
            try await self.print(self.indent + text)
            self.indent = "    ,"
        }
    }

    mutating func print(_ row: String) async throws {
        self.waiting += row + "\n"
        guard self.waiting.utf8.count >= Self.portion else { return }
        try Console.requireReader()
        await Console.standardOutput(self.waiting)
        self.waiting = ""
    }

    mutating func finish() async {
        if self.format == .json { self.waiting += "  ]\n}\n" }
        if !self.waiting.isEmpty { await Console.standardOutput(self.waiting) }
    }
}

/// A report of a command: the same facts for programs and for people. Line breaks in names and texts are replaced.
protocol Report: Encodable {
    var lines: [Message] { get }
}

extension Message {
    /// The message as a detail of the line above.
    var indented: Message { .textBehind("  ", self) }
}

struct ObjectReport: Report {
    private let object: JSONObject
    let lines: [Message]

    init(_ object: JSONObject, _ lines: [Message]) { (self.object, self.lines) = (object, lines) }

    func encode(to encoder: any Encoder) throws { try self.object.encode(to: encoder) }
}

/// A card in a list; the table for people has its short id.
struct ListedCard: Report {
    let card: Card
    let shortID: String?

    var lines: [Message] { [self.card.line(as: self.shortID)] }

    func encode(to encoder: any Encoder) throws { try self.card.encode(to: encoder) }
}

extension Card {
    func line(as id: String? = nil) -> Message { .textVerbatim(self.text(as: id)) }
}

extension Array: Report where Element: Report {
    var lines: [Message] { self.flatMap(\.lines) }
}

extension Report {
    func print(_ format: ReportFormat) async {
        switch format {
        case .text: for line in self.lines { await Console.standardOutput(Console.readable(line)) }
        case .json: await Console.standardOutput(JSONText.document(self))
        }
    }
}
