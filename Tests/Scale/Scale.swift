import Foundation
import Glibc

/// Fills one sandbox with more and more cards and measures, at each size, what daily work costs.
///
///     card-scale [--turns] FOLDER 1000 100000 1000000
///
/// With `--turns` it works beside another program: it prints `turn` before it fills the sandbox and before each round,
/// and continues with a line of the standard input.
@main
struct Scale {
    private static let rounds = 31

    private struct Measured {
        let name: String
        var milliseconds: [Double?]
    }

    static func main() async throws {
        var arguments = Array(CommandLine.arguments.dropFirst())
        let hasTurns = arguments.first == "--turns"
        if hasTurns { arguments.removeFirst() }
        let sizes = arguments.dropFirst().compactMap { Int($0) }
        guard let folder = arguments.first, !sizes.isEmpty, sizes.count == arguments.count - 1 else {
            Swift.print("usage: card-scale [--turns] FOLDER CARDS…")
            exit(64)
        }
        var filling = try await Filling(folder: folder)
        var table: [Measured] = []
        for (index, size) in sizes.enumerated() {
            if hasTurns { self.waitForTurn() }
            let start = ContinuousClock.now
            try await filling.fill(to: size)
            self.report("\(size) cards after \(Int((ContinuousClock.now - start) / .seconds(1))) s")
            let times = Times()
            for _ in 0..<self.rounds {
                if hasTurns { self.waitForTurn() }
                try await self.measure(&filling, times)
            }
            if index == 0 { table = times.names.map { Measured(name: $0, milliseconds: []) } }
            for row in table.indices { table[row].milliseconds.append(times.median(table[row].name)) }
        }
        self.print(table, sizes: sizes)
    }

    private static func measure(_ filling: inout Filling, _ times: Times) async throws {
        try await filling.work(times)
        for (name, body) in try await filling.questions() where !times.isDone(name) {
            try await times.measure(name, body)
        }
    }

    private static func print(_ table: [Measured], sizes: [Int]) {
        func row(_ cells: [String]) { Swift.print("| \(cells.joined(separator: " | ")) |") }
        func cell(_ value: Double?) -> String { value.map { String(format: "%.3f", $0) } ?? "–" }
        row(["ms, median of \(self.rounds)"] + sizes.map(String.init) + ["last / one before"])
        row(["---"] + sizes.map { _ in "---:" } + ["---:"])
        for line in table {
            let last = line.milliseconds.suffix(2).compactMap(\.self)
            let growth = last.count == 2 ? last[1] / last[0] : nil
            row([line.name] + line.milliseconds.map(cell) + [cell(growth)])
        }
    }

    private static func waitForTurn() {
        Swift.print("turn")
        fflush(nil)
        // The other side is gone.
        guard readLine() != nil else { exit(1) }
    }

    private static func report(_ text: String) { FileHandle.standardError.write(Data("\(text)\n".utf8)) }
}
