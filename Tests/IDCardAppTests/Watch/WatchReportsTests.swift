import IDCardCore
import IDCardPipeline
import IDCardTriggers
import Synchronization
import Testing

@testable import IDCardApp

@Suite("What a watch prints of its files")
struct WatchReportsTests {
    private static let start = Timestamp(millisecondsSinceEpoch: 1_000_000)

    /// A card of invented data.
    private static func card(
        _ id: String,
        _ state: CardState,
        createdAt: Int64 = 1_000_001,
        reason: ReasonCode? = nil
    ) throws -> Card {
        Card(
            id: CardID(rawValue: id),
            state: state,
            reason: reason,
            metadata: CardMetadata(businessNumber: try #require(BusinessNumber("LOAN-1"))),
            intakeOrder: 1,
            createdAt: Timestamp(millisecondsSinceEpoch: createdAt),
            changedAt: Timestamp(millisecondsSinceEpoch: createdAt)
        )
    }

    /// What was printed, as words.
    private final class Printed: Sendable {
        private let reports = Mutex<[RunCardReport]>([])

        func add(_ report: RunCardReport) { self.reports.withLock { $0.append(report) } }

        var lines: [String] {
            self.reports.withLock { reports in
                reports.map {
                    "\($0.state) \($0.source) \($0.cardID?.rawValue ?? "-") \($0.duplicateOf?.rawValue ?? "-")"
                }
            }
        }
    }

    private let printed = Printed()
    private let reports: WatchReports

    init() {
        let printed = self.printed
        self.reports = WatchReports(startedAt: Self.start) { printed.add($0) }
    }

    private func take(_ source: String, _ card: Card, isDuplicate: Bool = false) {
        self.reports.observe(.taken(source: Redacted(source), card, isDuplicate: isDuplicate))
    }

    @Test("A file is told of when its card has ended, not before")
    func ended() throws {
        self.reports.observe(.cardChanged(try Self.card("a", .prepared)))
        self.take("a.jpg", try Self.card("a", .prepared))
        self.reports.observe(.cardChanged(try Self.card("a", .verified)))
        #expect(self.printed.lines == [])
        self.reports.observe(.cardChanged(try Self.card("a", .delivered)))
        #expect(self.printed.lines == ["delivered a.jpg a -"])
        #expect(self.reports.counts["delivered"] == 1)
    }

    @Test("A card that ends before its source is known is told of with its source all the same")
    func endedFirst() throws {
        self.reports.observe(.cardChanged(try Self.card("a", .prepared)))
        self.reports.observe(.cardChanged(try Self.card("a", .delivered)))
        #expect(self.printed.lines == [])
        self.take("a.jpg", try Self.card("a", .prepared))
        #expect(self.printed.lines == ["delivered a.jpg a -"])
    }

    @Test("A duplicate is told of at once if its card has ended, else with it")
    func duplicates() throws {
        self.take("again.jpg", try Self.card("a", .delivered, createdAt: 1), isDuplicate: true)
        self.take("b.jpg", try Self.card("b", .prepared))
        self.take("b2.jpg", try Self.card("b", .prepared), isDuplicate: true)
        self.reports.observe(.cardChanged(try Self.card("b", .held)))
        #expect(self.printed.lines == ["delivered again.jpg a a", "held b.jpg b -", "held b2.jpg b b"])
        #expect(self.reports.counts["duplicate"] == 2)
    }

    @Test("A card of an earlier watch has no source; its erasure is told of nowhere")
    func earlier() throws {
        self.reports.observe(.cardChanged(try Self.card("old", .verified, createdAt: 5)))
        self.reports.observe(.cardChanged(try Self.card("old", .delivered, createdAt: 5)))
        self.reports.observe(.cardChanged(try Self.card("old", .erased, createdAt: 5)))
        #expect(self.printed.lines == ["delivered  old -"])
    }

    @Test("A refused file is told of once, with its card if it has one")
    func refused() throws {
        self.reports.observe(.cardChanged(try Self.card("a", .rejected)))
        self.take("a.jpg", try Self.card("a", .rejected, reason: .numberChecksum))
        self.reports.observe(
            .refused(
                source: Redacted("a.jpg"),
                .numberChecksum,
                message: "wrong",
                card: CardID(rawValue: "a")
            )
        )
        self.reports.observe(
            .refused(source: Redacted("b.jpg"), .businessNumberMissing, message: "none", card: nil)
        )
        #expect(self.printed.lines == ["rejected a.jpg a -", "rejected b.jpg - -"])
        #expect(self.reports.counts["rejected"] == 2)
    }

    @Test("What only concerns the files asks for no line")
    func silent() {
        self.reports.observe(.placed(source: Redacted("a.jpg"), .done))
        self.reports.observe(.putOff(source: Redacted("a.jpg"), .diskSpaceLow, wait: .seconds(1)))
        self.reports.observe(.scanned(root: 1, files: 3))
        #expect(self.printed.lines == [])
    }
}

@Suite("What a watch says on standard error")
struct WatchWordsTests {
    @Test("Problems of folders and pressure are said, single files are not")
    func words() {
        #expect(
            WatchWords(.problem(root: 2, .rootMissing, message: "it is gone"))?.line
                == "warning: watched folder 2: it is gone"
        )
        #expect(
            WatchWords(.mended(root: 2, .rootMissing))?.line == "watched folder 2 is in order again (root_missing)"
        )
        #expect(
            WatchWords(.pressure(.closed(.queueFull, message: "full", retryAfter: .seconds(1))))?.line
                == "warning: files stay where they are for now: full"
        )
        #expect(WatchWords(.pressure(.open))?.line == "there is room again: files are taken in")
        #expect(WatchWords(.scanned(root: 1, files: 0)) == nil)
        #expect(WatchWords(.refused(source: Redacted("x"), .sourceUnreadable, message: "m", card: nil)) == nil)
    }

    @Test("A stage that stops is said at once, for a watch has no end at which to say it")
    func stages() {
        let pause = StagePause(
            code: "credentials",
            message: "the key is refused",
            since: Timestamp(millisecondsSinceEpoch: 1)
        )
        #expect(
            WatchWords(.stagePaused(.verify, pause))?.line
                == "warning: \(Stage.verify.rawValue) stopped (credentials): the key is refused"
        )
        #expect(WatchWords(.stageResumed(.verify))?.line == "\(Stage.verify.rawValue) works again")
        #expect(WatchWords(PipelineEvent.intakeStarted(inputs: 1)) == nil)
    }
}
