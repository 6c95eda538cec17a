import Foundation
import IDCardCore
import IDCardPipeline

/// A list of erased cards outside the sandbox: a JSON object a line with at least `card_id` and `erased_at`.
enum ErasureList {
    /// Longer lines are no certificates.
    private static let longestLine = 1 << 20

    private struct Line: Decodable {
        let card: String
        let erasedAt: ErasureTime
        let reason: String?

        enum CodingKeys: String, CodingKey {
            case card = "card_id"
            case erasedAt = "erased_at"
            case reason
        }
    }

    /// Reads a list.
    ///
    /// - Throws: `StoreError.notFound` if there is no such file, `StoreError.corrupt` if a line is not an erasure; the
    ///   last line may be cut off by a crash, if no line feed ends it.
    static func tombstones(in path: String) throws -> [Tombstone] {
        guard FileFacts(path) != nil else { throw StoreError(.notFound, "there is no list of erasures at \(path)") }
        let data: Data
        do {
            data = try Data(contentsOf: URL(fileURLWithPath: path))
        } catch {
            throw StoreError(.unavailable, "the list of erasures \(path) cannot be read; check its owner and mode")
        }
        let isEnded = data.last == UInt8(ascii: "\n")
        let lines = data.split(separator: UInt8(ascii: "\n"))
        var tombstones: [Tombstone] = []
        for (index, line) in lines.enumerated() where !line.allSatisfy({ $0 == 32 || $0 == 13 || $0 == 9 }) {
            guard line.count <= Self.longestLine, let read = try? JSONDecoder().decode(Line.self, from: line) else {
                if index == lines.count - 1, !isEnded { break }
                throw StoreError(
                    .corrupt,
                    "line \(index + 1) of the list of erasures \(path) is none; mend or remove the line"
                )
            }
            tombstones.append(
                Tombstone(
                    card: CardID(rawValue: read.card),
                    erasedAt: read.erasedAt.milliseconds,
                    reason: read.reason
                )
            )
        }
        return tombstones
    }
}

/// A time as lists of erasures may write it: ISO 8601, or milliseconds since the epoch.
struct ErasureTime: Decodable {
    let milliseconds: Int64

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(Int64.self) {
            self.milliseconds = number
            return
        }
        if let time = try? container.decode(Timestamp.self) {
            self.milliseconds = time.millisecondsSinceEpoch
            return
        }
        let text = try container.decode(String.self)
        let forms = [true, false].map { Date.ISO8601FormatStyle(includingFractionalSeconds: $0) }
        guard let date = forms.lazy.compactMap({ try? $0.parse(text) }).first else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "no time in ISO 8601")
        }
        self.milliseconds = Timestamp(date).millisecondsSinceEpoch
    }
}
