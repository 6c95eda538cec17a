import Foundation
import IDCardEmbedded
import IDCardImaging
import Testing

/// A drawn card and its true fields, as `truth.json` gives them.
struct FixtureCard: Sendable, CustomTestStringConvertible {
    struct Truth: Decodable, Sendable {
        struct Fields: Decodable, Sendable {
            var name: String?
            var gender: String?
            var ethnicity: String?
            var birth: String?
            var address: String?
            var number: String?
            var issuer: String?
            var validFrom: String?
            var validTo: String?

            enum CodingKeys: String, CodingKey {
                case name, gender, ethnicity, birth, address, number, issuer
                case validFrom = "valid_from"
                case validTo = "valid_to"
            }

            /// The period as it is printed.
            var validity: String? {
                guard let validFrom, let validTo else { return nil }
                return "\(validFrom)-\(validTo)".replacing(/(\d{4})-(\d\d)-(\d\d)/) {
                    "\($0.output.1).\($0.output.2).\($0.output.3)"
                }
            }
        }

        var side: String?
        var kind: String?
        var fields: Fields?
        var displacement: Double?
    }

    let file: URL
    let truth: Truth

    var testDescription: String { self.file.pathComponents.suffix(2).joined(separator: "/") }

    /// The fields that must be there.
    var fields: Truth.Fields {
        get throws { try #require(self.truth.fields) }
    }

    static let project = URL(filePath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    static let fixtures = project.appending(path: "fixtures")

    /// Every picture a `truth.json` knows, in order of its path.
    static func all(in folder: URL) throws -> [FixtureCard] {
        let data = try Data(contentsOf: folder.appending(path: "truth.json"))
        let truths = try JSONDecoder().decode([String: Truth].self, from: data)
        return truths.sorted { $0.key < $1.key }.map {
            FixtureCard(file: folder.appending(path: $0.key), truth: $0.value)
        }
    }

    /// The pictures of `fixtures` below one of its folders.
    static func fixtures(below folder: String) throws -> [FixtureCard] {
        let prefix = Self.fixtures.appending(path: folder).path + "/"
        return try Self.all(in: Self.fixtures).filter { $0.file.path.hasPrefix(prefix) }
    }

    /// The picture as the pipeline posts it.
    func posted() throws -> [UInt8] {
        [UInt8](try ImageRecompressor().recompress(try Data(contentsOf: self.file)).jpeg)
    }
}

/// The reader all tests share, so that no more programs run at once than there are cores.
/// It may take its time: what is asked here is what it reads, on machines that do other work as well.
let sharedReader = CardReader(tesseract: Tesseract(configuration: .init(timeLimit: .seconds(300))))

/// Reads cards one after the other in each of two tasks.
///
/// - Returns: What was read of each, in order.
func readings(of cards: [FixtureCard]) async throws -> [CardText?] {
    try await withThrowingTaskGroup(of: (Int, CardText?).self) { group in
        var results = [CardText?](repeating: nil, count: cards.count)
        for (index, card) in cards.enumerated() {
            if index >= 2, let (done, text) = try await group.next() { results[done] = text }
            group.addTask { (index, try await sharedReader.text(ofJPEG: try card.posted())) }
        }
        for try await (done, text) in group { results[done] = text }
        return results
    }
}

extension CardText {
    var front: Front? {
        if case .front(let front) = self.side { return front }
        return nil
    }

    var back: Back? {
        if case .back(let back) = self.side { return back }
        return nil
    }
}

extension CardText.BirthDate {
    /// The date as `truth.json` writes it.
    var iso: String {
        let parts = [(self.year, 4), (self.month, 2), (self.day, 2)]
        return parts.map { String(repeating: "0", count: $0.1 - String($0.0).count) + String($0.0) }
            .joined(separator: "-")
    }
}
