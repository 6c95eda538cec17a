import ArgumentParser

/// The forms of data on standard output.
package enum OutputFormat: String, CaseIterable, Sendable, ExpressibleByArgument {
    /// For people.
    case text
    /// One JSON object.
    case json
    /// One JSON object a line.
    case jsonl
}
