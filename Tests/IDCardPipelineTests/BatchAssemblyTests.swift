import IDCardCore
import Testing

@testable import IDCardPipeline

@Suite("What gathers for a batch")
struct BatchAssemblyTests {
    private let assembly = BatchAssembly(maximumCards: 4, maximumBytes: 100, wait: .seconds(2))
    private let start = Timestamp(millisecondsSinceEpoch: 1_800_000_000_000)

    private func entry(
        _ number: String,
        cards: Int = 1,
        bytes: Int = 10,
        user: String? = nil
    ) throws -> BatchAssembly.Entry {
        let members = (0..<cards).map { index in
            ApplicationCard(
                id: CardID(rawValue: "\(number)-\(index)"),
                state: .verified,
                side: index == 0 ? .front : .back,
                intakeOrder: 1,
                userNumber: user.map(Redacted.init),
                changedAt: self.start
            )
        }
        let basis = ApplicationSnapshot(businessNumber: try #require(BusinessNumber(number)), cards: members)
        return BatchAssembly.Entry(
            basis: basis,
            cards: members,
            userNumber: user.map(Redacted.init),
            byteCount: bytes,
            warnings: []
        )
    }

    private func at(_ seconds: Int) -> Timestamp { self.start.advanced(by: .seconds(seconds)) }

    private func taken(_ seconds: Int) -> [[String]] {
        self.assembly.take(now: self.at(seconds)).map { $0.map(\.basis.businessNumber.rawValue) }
    }

    @Test("An empty assembly has nothing to do")
    func empty() {
        #expect(self.assembly.nextDue(now: self.start) == nil)
        #expect(self.taken(0).isEmpty)
    }

    @Test("What is not full goes when its first entry has waited, and takes along what came since")
    func wait() throws {
        self.assembly.put(try self.entry("B-1"), now: self.at(0))
        self.assembly.put(try self.entry("B-2"), now: self.at(1))
        #expect(self.assembly.nextDue(now: self.at(1)) == self.at(2))
        #expect(self.taken(1).isEmpty)
        #expect(self.taken(2) == [["B-1", "B-2"]])
        #expect(self.assembly.nextDue(now: self.at(2)) == nil)
    }

    @Test("What is full goes at once, and a pair is not torn apart")
    func full() throws {
        for number in ["B-1", "B-2", "B-3"] {
            self.assembly.put(try self.entry(number, cards: number == "B-2" ? 1 : 2), now: self.at(0))
        }
        #expect(self.assembly.nextDue(now: self.at(0)) == self.at(0))
        #expect(self.taken(0) == [["B-1", "B-2"]])
        #expect(self.taken(0).isEmpty, "what is left is not full")
        #expect(self.taken(2) == [["B-3"]])
    }

    @Test("Bytes fill a delivery, too; an entry that is larger than all goes alone")
    func bytes() throws {
        for (number, bytes) in [("B-1", 60), ("B-2", 50), ("B-3", 200)] {
            self.assembly.put(try self.entry(number, bytes: bytes), now: self.at(0))
        }
        #expect(self.taken(0) == [["B-1"], ["B-2"], ["B-3"]])
    }

    @Test("Each user account has deliveries of its own")
    func accounts() throws {
        for (number, user) in [("B-1", "u"), ("B-2", "v"), ("B-3", "u"), ("B-4", nil)] {
            self.assembly.put(try self.entry(number, user: user), now: self.at(0))
        }
        #expect(Set(self.taken(2)) == [["B-1", "B-3"], ["B-2"], ["B-4"]])
    }

    @Test("What is put again takes the place of what was there, and keeps its time")
    func again() throws {
        self.assembly.put(try self.entry("B-1"), now: self.at(0))
        self.assembly.put(try self.entry("B-2"), now: self.at(1))
        self.assembly.put(try self.entry("B-1", cards: 2), now: self.at(1))
        #expect(self.assembly.nextDue(now: self.at(1)) == self.at(2))
        let deliveries = self.assembly.take(now: self.at(2))
        #expect(deliveries.map { $0.map(\.cards.count) } == [[2, 1]])
    }

    @Test("What may not go any more is not taken")
    func removed() throws {
        self.assembly.put(try self.entry("B-1", cards: 4), now: self.at(0))
        self.assembly.remove(try #require(BusinessNumber("B-1")))
        #expect(self.assembly.nextDue(now: self.at(0)) == nil)
        #expect(self.taken(9).isEmpty)
    }

    @Test("Cards that were refused together go alone, at once")
    func alone() throws {
        let entries = try ["B-1", "B-2"].map { try self.entry($0) }
        self.assembly.sendAlone(entries.flatMap(\.cards).map(\.id))
        for entry in entries { self.assembly.put(entry, now: self.at(0)) }
        self.assembly.put(try self.entry("B-3"), now: self.at(0))
        #expect(Set(self.taken(0)) == [["B-1"], ["B-2"]])
        #expect(self.taken(2) == [["B-3"]])
    }
}
