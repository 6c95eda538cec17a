import Foundation
import GRDB
import IDCardCore
import IDCardPipeline
import Testing

@testable import IDCardSandbox

/// One search of the file looks for what all erasures before it left, a piece at a time.
struct ErasureSearchTests {
    private static let origin = AccessOrigin(actor: "engine:retention", purpose: "retention")

    private let folder = SandboxFolder()

    /// Every file is searched in as many parts as there is time for.
    private func open(largestRewrite: Int = 256 << 20) throws -> SandboxStore {
        var storage = SandboxFolder.storage
        (storage.largestQuickSearch, storage.largestRewrite) = (0, largestRewrite)
        return try self.folder.open(storage: storage)
    }

    private func fill(_ store: SandboxStore) async throws {
        for number in 1...12 {
            var admission = try Admission.sample(number, byteCount: 1 << 20)
            // None is a part of another.
            admission.metadata.businessNumber = try #require(BusinessNumber("CASE-\(number + 80)"))
            _ = try await store.admit(admission, now: .second(1))
        }
    }

    private func erase(_ numbers: ClosedRange<Int>, in store: SandboxStore) async throws -> [ErasureCertificate] {
        var retention = Retention()
        retention.limit(.failed, to: .seconds(1))
        // By the store, which leaves nothing behind in the pages.
        try await store.writer.write { db in
            for number in numbers {
                try db.execute(
                    sql: "UPDATE card SET state = 'failed', reason = 'sample' WHERE id = ?",
                    arguments: ["card-\(number)"]
                )
            }
        }
        return try await store.erase(
            numbers.map { CardID(rawValue: "card-\($0)") },
            under: retention,
            reason: .retention,
            by: Self.origin,
            now: .second(9)
        )
    }

    private func position() throws -> Int64? {
        try self.folder.raw { try Int64.fetchOne($0, sql: "SELECT search_position FROM sandbox") }
    }

    /// As SQLite leaves behind a cell that was moved: text in a free place of a page.
    private func leave(_ text: String, in store: SandboxStore) async throws {
        try await store.writer.withConnection { db in
            try db.execute(sql: "PRAGMA secure_delete = OFF")
            try db.execute(sql: "CREATE TABLE IF NOT EXISTS moved (id INTEGER PRIMARY KEY, text TEXT)")
            try db.execute(sql: "INSERT INTO moved (text) VALUES (?)", arguments: [text])
            try db.execute(sql: "DELETE FROM moved")
            try db.execute(sql: "PRAGMA secure_delete = ON")
            _ = try db.checkpoint(.truncate)
        }
    }

    @Test("retention erases without a search; one search at the end certifies all of them")
    func onceForAll() async throws {
        let store = try self.open()
        try await self.fill(store)
        #expect(try await self.erase(1...5, in: store).map(\.isScrubbed) == [Bool](repeating: false, count: 5))
        #expect(try await self.erase(6...9, in: store).map(\.isScrubbed) == [Bool](repeating: false, count: 4))
        #expect(try self.position() == nil)
        #expect(try await store.continueErasures(within: nil) == .finished)
        #expect(try await store.erasureCertificates().map(\.isScrubbed) == [Bool](repeating: true, count: 9))
        let number = try self.folder.raw { try Int.fetchOne($0, sql: "SELECT search_number FROM sandbox") }
        #expect(number == 1)
        let left = "SELECT count(*) FROM erasure WHERE traces IS NOT NULL OR search IS NOT NULL"
        #expect(try self.folder.raw { try Int.fetchOne($0, sql: left) } == 0)
    }

    @Test("a search is resumed by the next process where it stopped, and nothing is certified before its end")
    func resumed() async throws {
        let first = try self.open()
        try await self.fill(first)
        _ = try await self.erase(1...2, in: first)
        var positions: [Int64] = []
        var store = first
        while try await store.continueErasures(within: .zero).isGoingOn {
            #expect(try await store.erasureCertificates().allSatisfy { !$0.isScrubbed })
            positions.append(try #require(try self.position()))
            try await store.close()
            store = try self.open()
            try #require(positions.count < 100)
        }
        #expect(positions.count > 2)
        #expect(positions == positions.sorted(by: >))
        #expect(try await store.erasureCertificates().map(\.isScrubbed) == [true, true])
    }

    @Test("the pages that many cards leave are given back a few at a time, too, before the search begins")
    func freePages() async throws {
        let store = try self.open()
        try await self.fill(store)
        _ = try await self.erase(1...9, in: store)
        #expect(try await store.continueErasures(within: .zero).isGoingOn)
        let free = try self.folder.raw { try Int.fetchOne($0, sql: "PRAGMA freelist_count") }
        // 9 MiB of pages of 8 KiB, 500 of them in a turn.
        #expect(try #require(free) > 500)
        #expect(try self.position() == nil)
        var calls = 1
        while try await store.continueErasures(within: .zero).isGoingOn {
            calls += 1
            try #require(calls < 100)
        }
        #expect(try await store.erasureCertificates().map(\.isScrubbed) == [Bool](repeating: true, count: 9))
    }

    @Test("what was erased since a search began is looked for by the next one")
    func later() async throws {
        let store = try self.open()
        try await self.fill(store)
        _ = try await self.erase(1...1, in: store)
        #expect(try await store.continueErasures(within: .milliseconds(1)).isGoingOn)
        _ = try await self.erase(2...2, in: store)
        var progress = try await store.continueErasures(within: .seconds(60))
        #expect(progress == ErasureProgress(open: 1, isGoingOn: true))
        #expect(try await store.erasureCertificates().map(\.isScrubbed) == [true, false])
        progress = try await store.continueErasures(within: .seconds(60))
        #expect(progress == .finished)
    }

    @Test("what is left of one card is found, and all others are certified; a small file is written anew")
    func found() async throws {
        let large = try self.open(largestRewrite: 1)
        try await self.fill(large)
        try await self.leave("CASE-85", in: large)
        _ = try await self.erase(4...6, in: large)
        #expect(try await large.finishErasures() == 1)
        #expect(try await large.erasureCertificates().map(\.isScrubbed) == [true, false, true])
        #expect(try !FileGrep.files(in: self.folder.path, holding: [Data("CASE-85".utf8)]).isEmpty)
        try await large.close()
        let small = try self.open()
        #expect(try await small.finishErasures() == 0)
        #expect(try FileGrep.files(in: self.folder.path, holding: [Data("CASE-85".utf8)]) == [])
    }

    @Test("nothing is certified while the log cannot be emptied, at the beginning of the search or at its end")
    func logAtTheEnd() async throws {
        let store = try self.open()
        try await self.fill(store)
        _ = try await self.erase(1...2, in: store)
        #expect(try await store.continueErasures(within: .zero).isGoingOn)
        let reader = try self.folder.beginReading()
        _ = try await store.reserveIntakeOrders(1)
        #expect(try await store.continueErasures(within: nil).open == 2)
        #expect(try await store.erasureCertificates().map(\.isScrubbed) == [false, false])
        try await store.writer.write { try $0.execute(sql: "UPDATE sandbox SET search_position = 0") }
        guard case .blocked = try await store.endSearch(1, until: nil) else {
            Issue.record("the search ended although the log holds pages")
            return
        }
        #expect(try await store.erasureCertificates().map(\.isScrubbed) == [false, false])
        try reader.close()
        #expect(try await store.continueErasures(within: nil) == .finished)
        #expect(try await store.erasureCertificates().map(\.isScrubbed) == [true, true])
    }

    @Test("whoever is killed between the end of a search and the certificates does not search once more")
    func killedBeforeCertificates() async throws {
        let store = try self.open()
        try await self.fill(store)
        _ = try await self.erase(1...3, in: store)
        guard case .ended(let found) = await store.search(until: nil) else {
            Issue.record("the search did not end")
            return
        }
        #expect(found == [])
        try await store.close()
        let next = try self.open()
        // Nor does another process, which meets them before they are certified.
        guard case .blocked = await next.search(until: nil) else {
            Issue.record("a search for nothing began")
            return
        }
        #expect(try self.position() == nil)
        #expect(try await next.continueErasures(within: .zero) == .finished)
        #expect(try self.folder.raw { try Int.fetchOne($0, sql: "SELECT search_number FROM sandbox") } == 1)
        #expect(try await next.erasureCertificates().map(\.isScrubbed) == [true, true, true])
    }

    @Test("a search that looks for nothing ends at once, and the next one follows")
    func soughtNothing() async throws {
        let store = try self.open()
        try await self.fill(store)
        try await store.writer.write { try $0.execute(sql: "UPDATE sandbox SET search_position = 12000000") }
        _ = try await self.erase(1...1, in: store)
        var calls = 0
        while try await store.continueErasures(within: .seconds(60)).isGoingOn {
            calls += 1
            try #require(calls < 10)
        }
        #expect(try await store.erasureCertificates().map(\.isScrubbed) == [true])
    }

    @Test("a search goes on however many pages are freed meanwhile")
    func pagesFreedMeanwhile() async throws {
        let store = try self.open()
        try await self.fill(store)
        _ = try await self.erase(1...1, in: store)
        #expect(try await store.continueErasures(within: .zero).isGoingOn)
        let before = try #require(try self.position())
        _ = try await self.erase(4...12, in: store)
        #expect(try await store.continueErasures(within: .zero).isGoingOn)
        #expect(try self.folder.raw { try Int.fetchOne($0, sql: "PRAGMA freelist_count") } ?? 0 > 0)
        #expect(try #require(try self.position()) < before)
    }

    @Test("what is looked for stands nowhere in the sandbox itself")
    func soughtAsFingerprints() async throws {
        let store = try self.open()
        try await self.fill(store)
        let keys = try self.folder.raw {
            try Data.fetchAll($0, sql: "SELECT bytes FROM data_key WHERE owner = 'card-1'")
        }
        _ = try await self.erase(1...1, in: store)
        _ = try await store.continueErasures(within: .zero)
        let traces = try self.folder.raw { try Data.fetchOne($0, sql: "SELECT traces FROM erasure") }
        #expect(try #require(traces).count > 42)
        #expect(keys.count == 1)
        #expect(try FileGrep.files(in: self.folder.path, holding: keys + [Data("CASE-81".utf8)]) == [])
    }

    @Test("two processes that search at the same time search the whole file, and certify once")
    func together() async throws {
        let store = try self.open()
        try await self.fill(store)
        _ = try await self.erase(1...3, in: store)
        let other = try self.open()
        async let mine = store.finishErasures()
        async let theirs = other.finishErasures()
        _ = try await (mine, theirs)
        #expect(try await store.finishErasures() == 0)
        #expect(try await store.erasureCertificates().map(\.isScrubbed) == [true, true, true])
    }

    @Test("a trace is found wherever it begins and ends", arguments: [6, 7, 23, 24])
    func places(length: Int) throws {
        let vault = try self.folder.open().vault
        let marker = ErasedTrace.TraceMarker(vault)
        let piece = Data((0..<length).map { UInt8(200 - $0) })
        let card = CardID(rawValue: "card-1")
        let traces = try #require(
            ErasedTrace.decode(ErasedTrace.encode(ErasedTrace.traces(of: [piece], marker: marker)))
        )
        let search = TraceSearch(for: [(card, traces)], marker: marker)
        for place in [0, 1, 1000, 4096 - length] {
            var bytes = [UInt8](repeating: 7, count: 4096)
            bytes.replaceSubrange(place..<(place + length), with: piece)
            #expect(bytes.withUnsafeBytes(search.cards) == [card])
            bytes[place] ^= 1
            #expect(bytes.withUnsafeBytes(search.cards) == [])
        }
    }
}
