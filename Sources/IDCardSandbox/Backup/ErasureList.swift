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
    /// - Throws: `StoreError.notFound` if there is no such file, `StoreError.corrupt` if a line is not an erasure; a
    ///   line that a crash cut off is passed over.
    static func tombstones(in path: String) throws -> [Tombstone] {
        guard FileFacts(path) != nil else { throw StoreError(.notFound, "there is no list of erasures at \(path)") }
        let data: Data
        do {
            data = try FileCall.acting(on: path) { try Data(contentsOf: URL(fileURLWithPath: path)) }
        } catch {
            throw StoreError(.unavailable, "the list of erasures \(path) cannot be read; check its owner and mode")
        }
        var tombstones: [Tombstone] = []
        for (index, line) in data.split(separator: UInt8(ascii: "\n")).enumerated() where !Self.isBlank(line) {
            if let tombstone = Self.tombstone(in: line) {
                tombstones.append(tombstone)
            } else if line.last == UInt8(ascii: "}") || line.first != UInt8(ascii: "{") {
                throw StoreError(
                    .corrupt,
                    "line \(index + 1) of the list of erasures \(path) is none; mend or remove the line"
                )
            }
        }
        return tombstones
    }

    /// Reads a line; of one that a crash cut off, the card counts if it is there: better erased twice than not at all.
    private static func tombstone(in line: Data) -> Tombstone? {
        guard line.count <= Self.longestLine else { return nil }
        if let read = try? JSONDecoder().decode(Line.self, from: line) {
            return Tombstone(card: CardID(rawValue: read.card), erasedAt: read.erasedAt.time, reason: read.reason)
        }
        let text = String(decoding: line, as: UTF8.self)
        guard line.last != UInt8(ascii: "}"), let match = text.firstMatch(of: #/"card_id":"([^"\\]+)"/#) else {
            return nil
        }
        return Tombstone(card: CardID(rawValue: String(match.1)))
    }

    private static func isBlank(_ line: Data) -> Bool {
        line.allSatisfy { [UInt8(ascii: " "), UInt8(ascii: "\t"), UInt8(ascii: "\r")].contains($0) }
    }
}

/// A time as lists of erasures may write it: ISO 8601, or milliseconds since the epoch.
struct ErasureTime: Decodable {
    let time: Timestamp

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if let number = try? container.decode(Int64.self) {
            self.time = Timestamp(millisecondsSinceEpoch: number)
            return
        }
        if let time = try? container.decode(Timestamp.self) {
            self.time = time
            return
        }
        let text = try container.decode(String.self)
        let forms = [true, false].map { Date.ISO8601FormatStyle(includingFractionalSeconds: $0) }
        guard let date = forms.lazy.compactMap({ try? $0.parse(text) }).first else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "no time in ISO 8601")
        }
        self.time = Timestamp(date)
    }
}
