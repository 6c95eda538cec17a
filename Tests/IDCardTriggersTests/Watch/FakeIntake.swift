import Foundation
import IDCardCore
import IDCardPipeline
import Synchronization

/// A pipeline that keeps cards in memory: the same bytes for the same business number are one card, and a file that is
/// known by its identity is not read again. It outlives the watch, as a sandbox does.
final class FakeIntake: WatchIntake {
    /// One call.
    struct Take: Hashable, Sendable {
        var source: String
        var businessNumber: String
        var metadata: CardMetadata
        var bytes: Int
        var isDuplicate: Bool
        var wasRead: Bool
    }

    private struct Key: Hashable {
        var digest: ContentDigest
        var businessNumber: BusinessNumber
    }

    private struct State {
        var cards: [Key: Card] = [:]
        var files: [FileIdentity: Card] = [:]
        var takes: [Take] = []
        var calls = 0
        var underway = 0
        var mostUnderway = 0
        var pressure = IntakePressure.open
        var metadataFolders: Set<Redacted<String>> = []
        var amendments: [String] = []
        var awaited: [AwaitedPlace: Bool] = [:]
    }

    private struct AwaitedPlace: Hashable {
        var number: BusinessNumber
        var path: Redacted<String>

        init(_ input: AwaitedInput) { (self.number, self.path) = (input.businessNumber, input.path) }
    }

    private let state = Mutex(State())
    /// Decides about an input before it is read: a result, or `nil` for the usual one; gets the number of the call.
    private let answer: @Sendable (IntakeItem, Int) async throws -> InputResult?
    /// Called between the commit and the return.
    private let afterCommit: @Sendable (IntakeItem) async throws -> Void
    /// What comes of words about a photo that was taken in before.
    private let amendment: @Sendable (CardMetadata) -> Amendment

    init(
        answer: @escaping @Sendable (IntakeItem, Int) async throws -> InputResult? = { _, _ in nil },
        afterCommit: @escaping @Sendable (IntakeItem) async throws -> Void = { _ in },
        amendment: @escaping @Sendable (CardMetadata) -> Amendment = { _ in .unknown }
    ) {
        self.answer = answer
        self.amendment = amendment
        self.afterCommit = afterCommit
    }

    var takes: [Take] { self.state.withLock { $0.takes } }
    var calls: Int { self.state.withLock { $0.calls } }
    var cards: Int { self.state.withLock { $0.cards.count } }
    var mostUnderway: Int { self.state.withLock { $0.mostUnderway } }

    func set(_ pressure: IntakePressure) { self.state.withLock { $0.pressure = pressure } }

    func pressure() async -> IntakePressure { self.state.withLock { $0.pressure } }

    /// The words about photos that were taken in before: the number of each, and the one it is given.
    var amendments: [String] { self.state.withLock { $0.amendments } }

    func noteMetadataFile(inFolder path: Redacted<String>) async throws {
        self.state.withLock { _ = $0.metadataFolders.insert(path) }
    }

    func hasHeldMetadataFile(inFolder path: Redacted<String>) async throws -> Bool {
        self.state.withLock { $0.metadataFolders.contains(path) }
    }

    func amend(
        _ photo: TakenPhoto,
        under number: BusinessNumber,
        with metadata: CardMetadata
    ) async throws -> Amendment {
        self.state.withLock { $0.amendments.append("\(number.rawValue) → \(metadata.businessNumber.rawValue)") }
        return self.amendment(metadata)
    }

    func receive(_ reception: Reception) async throws -> ReceptionOutcome { .nameReused }
    func announce(_ items: IntakeList) async throws -> IntakeAnnouncement { IntakeAnnouncement() }

    /// What is awaited: `LOAN-1 front.jpg`, or `LOAN-1 front.jpg refused`.
    var awaited: [String] {
        self.state.withLock { state in
            state.awaited.map { place, isRefused in
                "\(place.number.rawValue) \(place.path.reveal().split(separator: "/").last ?? "")"
                    + (isRefused ? " refused" : "")
            }.sorted()
        }
    }

    func expect(_ inputs: [AwaitedInput]) async throws {
        self.state.withLock { state in
            for input in inputs { state.awaited[AwaitedPlace(input)] = input.isRefused }
        }
    }

    func expectNoMore(_ inputs: [AwaitedInput]) async throws {
        self.state.withLock { state in
            for input in inputs { state.awaited[AwaitedPlace(input)] = nil }
        }
    }

    func expectAgain(_ inputs: [AwaitedInput], of source: InputSource) async throws {
        try await self.expect(inputs)
    }

    func refusal(of address: ImageAddress) -> ImageFetcher.Refusal? { nil }

    func take(_ item: IntakeItem) async throws -> InputResult {
        let call = self.state.withLock { state in
            state.calls += 1
            state.underway += 1
            state.mostUnderway = max(state.mostUnderway, state.underway)
            return state.calls
        }
        defer { self.state.withLock { $0.underway -= 1 } }
        if let result = try await self.answer(item, call) { return result }
        guard case .take(let metadata) = item.disposition else { return .ignored }
        let result: InputResult
        do throws(SourceFile.Failure) {
            result = try self.admit(item, metadata)
        } catch {
            return .refused(error.reason, message: error.message)
        }
        try await self.afterCommit(item)
        return result
    }

    private func admit(_ item: IntakeItem, _ metadata: CardMetadata) throws(SourceFile.Failure) -> InputResult {
        let file = try SourceFile(path: item.path.reveal(), expected: item.expected)
        let identity = file.identity
        if let known = self.state.withLock({ $0.files[identity] }),
            known.metadata.businessNumber == metadata.businessNumber
        {
            self.record(item, metadata, bytes: 0, isDuplicate: true, wasRead: false)
            return .duplicate(known, wasRead: false)
        }
        let data = try file.read(limit: 1 << 25, into: SourceBuffers(mostKept: 1))
        let key = Key(digest: ContentDigest(of: data), businessNumber: metadata.businessNumber)
        let (card, isDuplicate) = self.state.withLock { state -> (Card, Bool) in
            let known = state.cards[key]
            let card = known ?? Self.card(metadata, number: state.cards.count)
            state.cards[key] = card
            state.files[identity] = card
            return (card, known != nil)
        }
        self.record(item, metadata, bytes: data.count, isDuplicate: isDuplicate, wasRead: true)
        return isDuplicate ? .duplicate(card, wasRead: true) : .admitted(card)
    }

    private func record(_ item: IntakeItem, _ metadata: CardMetadata, bytes: Int, isDuplicate: Bool, wasRead: Bool) {
        let take = Take(
            source: item.source.reveal(),
            businessNumber: metadata.businessNumber.rawValue,
            metadata: metadata,
            bytes: bytes,
            isDuplicate: isDuplicate,
            wasRead: wasRead
        )
        self.state.withLock { $0.takes.append(take) }
    }

    /// A card of invented data.
    static func card(_ metadata: CardMetadata, number: Int = 0, state: CardState = .prepared) -> Card {
        let now = Timestamp(millisecondsSinceEpoch: 1_700_000_000_000)
        return Card(
            id: CardID(rawValue: "card-\(number)"),
            state: state,
            metadata: metadata,
            intakeOrder: Int64(number),
            createdAt: now,
            changedAt: now
        )
    }
}
