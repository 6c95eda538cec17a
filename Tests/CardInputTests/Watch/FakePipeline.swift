import CardModel
import Foundation
import Synchronization

@testable import CardInput

/// A pipeline that keeps cards in memory: the same bytes under the same number are one card. It outlives the watch, as
/// a sandbox does.
final class FakePipeline: Sendable {
    /// Decides about a photo before it is read: an outcome, or `nil` for the usual one; gets the number of the call.
    typealias Answer =
        @Sendable (_ photo: Photo, _ occasion: WatchOccasion, _ call: Int) async throws -> WatchOutcome?

    struct Taken: Sendable {
        var number: String
        var user: String?
        var file: String
        var occasion: WatchOccasion
        var isDuplicate: Bool
    }

    private struct State {
        var cards: Set<[UInt8]> = []
        var taken: [Taken] = []
        var calls = 0
        var underway = 0
        var mostUnderway = 0
    }

    private let state = Mutex(State())
    private let answer: Answer

    init(answer: @escaping Answer = { _, _, _ in nil }) {
        self.answer = answer
    }

    var taken: [Taken] { self.state.withLock { $0.taken } }
    var cards: Int { self.state.withLock { $0.cards.count } }
    var calls: Int { self.state.withLock { $0.calls } }
    var mostUnderway: Int { self.state.withLock { $0.mostUnderway } }
    /// The photos that were taken: `LOAN-1 front.jpg`.
    var names: [String] { self.taken.map { "\($0.number) \($0.file)" } }

    func take(_ photo: Photo, _ occasion: WatchOccasion) async throws -> WatchOutcome {
        let call = self.state.withLock { state in
            state.calls += 1
            state.underway += 1
            state.mostUnderway = max(state.mostUnderway, state.underway)
            return state.calls
        }
        defer { self.state.withLock { $0.underway -= 1 } }
        if let outcome = try await self.answer(photo, occasion, call) { return outcome }
        guard case .file(let identity) = photo.location else { throw POSIXError(.EINVAL) }
        do throws(CodedError) {
            let bytes = [UInt8](try SourceFile.read(identity, limit: 1 << 20))
            self.state.withLock { state in
                let isNew = state.cards.insert(Array(photo.metadata.businessNumber.rawValue.utf8) + [0] + bytes)
                    .inserted
                state.taken.append(
                    Taken(
                        number: photo.metadata.businessNumber.rawValue,
                        user: photo.metadata.userNumber?.reveal(),
                        file: String(photo.path.split(separator: "/").last ?? ""),
                        occasion: occasion,
                        isDuplicate: !isNew
                    )
                )
            }
            return .admitted
        } catch {
            return .refused(error, card: nil)
        }
    }
}

/// Keeps what a watch reports, and lets a test wait for it.
final class WatchReports: Sendable {
    private struct State {
        var events: [WatchEvent] = []
        /// Whether the watch has ended: nothing that is waited for comes any more.
        var isOver = false
        var waiter: (isMet: @Sendable ([WatchEvent]) -> Bool, continuation: CheckedContinuation<Void, Never>)?
    }

    private let state = Mutex(State())

    var all: [WatchEvent] { self.state.withLock { $0.events } }

    func add(_ event: WatchEvent) {
        let waiter = self.state.withLock { state -> CheckedContinuation<Void, Never>? in
            state.events.append(event)
            guard let waiter = state.waiter, waiter.isMet(state.events) else { return nil }
            state.waiter = nil
            return waiter.continuation
        }
        waiter?.resume()
    }

    var isOver: Bool { self.state.withLock { $0.isOver } }

    /// Waits until a condition holds or the watch has ended; one waiter at a time. The time limit of the test ends what
    /// never comes.
    func wait(until isMet: @escaping @Sendable ([WatchEvent]) -> Bool) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isOver = self.state.withLock { state in
                    if Task.isCancelled || state.isOver || isMet(state.events) { return true }
                    state.waiter = (isMet, continuation)
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            self.giveUp { _ in }
        }
    }

    /// A watch begins: what is waited for may come.
    func begin() { self.state.withLock { $0.isOver = false } }

    /// Has nobody wait any more: the watch has ended.
    func end() { self.giveUp { $0.isOver = true } }

    private func giveUp(_ change: @Sendable (inout State) -> Void) {
        let waiter = self.state.withLock { state in
            defer { state.waiter = nil }
            change(&state)
            return state.waiter?.continuation
        }
        waiter?.resume()
    }

    /// Waits until so many files have been put somewhere.
    func wait(forPlaced count: Int) async { await self.wait { Self.placed($0) >= count } }

    var placed: Int { Self.placed(self.all) }

    private static func placed(_ events: [WatchEvent]) -> Int {
        events.count { if case .placed = $0 { true } else { false } }
    }

    func waitForProblem() async { await self.wait { $0.contains { if case .problem = $0 { true } else { false } } } }

    var scans: Int { Self.scans(self.all) }

    func wait(forScans count: Int) async { await self.wait { Self.scans($0) >= count } }

    private static func scans(_ events: [WatchEvent]) -> Int {
        events.count { if case .scanned = $0 { true } else { false } }
    }

    /// How many things stayed in a folder, whenever that was told.
    var staying: [Int] { self.all.compactMap { if case .leftInPlaceCount(let count, _) = $0 { count } else { nil } } }

    /// The codes of what was refused.
    var refused: [String] {
        self.all.compactMap { if case .refused(_, let error, _) = $0 { error.code.rawValue } else { nil } }
    }

    /// Problems and their ends: `watch_folder_missing`, `mended watch_folder_missing`.
    var problems: [String] { self.problems() }

    /// Those of one folder, or of all.
    func problems(of folder: String? = nil) -> [String] {
        self.all.compactMap { event in
            switch event {
            case .problem(let of, let error) where of.reveal() == folder ?? of.reveal(): error.code.rawValue
            case .mended(let of, let code) where of.reveal() == folder ?? of.reveal(): "mended \(code)"
            default: nil
            }
        }
    }
}
