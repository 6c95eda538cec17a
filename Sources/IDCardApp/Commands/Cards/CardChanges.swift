import IDCardCore
import IDCardPipeline

/// Makes a change to one card after the other, prints what came of it, and says what was refused.
struct CardChanges {
    let format: OutputFormat

    /// Changes cards.
    ///
    /// - Returns: `someNotDelivered` if one of the changes was refused.
    func make(_ ids: [CardID], _ change: (CardID) async throws -> [Card]) async throws -> CommandStatus {
        var lines: [CardLine] = []
        var wasRefused = false
        var seen: Set<CardID> = []
        for id in ids where !seen.contains(id) {
            do {
                let cards = try await change(id)
                seen.formUnion(cards.map(\.id))
                lines += cards.map(CardLine.init)
            } catch let error as StoreError where error.code == .conflict {
                wasRefused = true
                Console.standardError("error: \(error.message)")
            }
        }
        switch self.format {
        case .text: for line in lines { Console.standardOutput(line.text) }
        case .json: Console.standardOutput(JSONText.document(["cards": lines]))
        case .jsonl: for line in lines { Console.standardOutput(JSONText.line(line)) }
        }
        if lines.contains(where: \.state.isRunnable) {
            Console.standardError("`idcard-pipeline run` without a path goes on with what is in the sandbox.")
        }
        return wasRefused ? .someNotDelivered : .delivered
    }
}
