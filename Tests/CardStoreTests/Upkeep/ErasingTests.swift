import CardModel
import Foundation
import Glibc
import Testing

@testable import CardStore

@Suite final class ErasingTests: StoreSuite {
    // MARK: What goes, and what stays

    @Test func `the key and the sealed image of an erased card stand in no file of the sandbox`() async throws {
        let id = try await harness.verified("front", number: "N", .front)
        let kept: [SQL] = [
            "SELECT wrapped FROM card_key WHERE card = \(id)",
            "SELECT bytes FROM blob WHERE card = \(id) AND kind = 'image'",
        ]
        var secrets: [Data] = []
        for sql in kept { secrets.append(try #require(try await harness.value(sql))) }
        for secret in secrets { #expect(try !harness.files(holding: secret).isEmpty) }
        #expect(try await harness.erase(id)[0].isScrubbed)
        for secret in secrets { #expect(try harness.files(holding: secret) == []) }
        #expect(try await harness.state(id) == "erased requested")
        #expect(try await harness.findings() == [])
    }

    @Test func `while a process reads, a certificate says that the log is not empty yet`() async throws {
        let id = try await harness.admit("front", number: "N").card
        #expect(try await !harness.whileAnotherReads { try await harness.erase(id)[0].isScrubbed })
        #expect(try await harness.erase(id)[0].isScrubbed)
    }

    @Test(arguments: [true, false])
    func `a log that a reader kept is emptied by the next heartbeat, whichever process erased`(
        _ isOwn: Bool
    ) async throws {
        let id = try await harness.verified("front", number: "N", .front)
        let secret = try #require(
            try await harness.value("SELECT wrapped FROM card_key WHERE card = \(id)", as: Data.self)
        )
        let other = try await harness.another()
        let (store, now) = (isOwn ? harness.store : other, harness.now)
        try await harness.whileAnotherReads {
            try await store.upkeep.erase([id], because: .requested, by: StoreHarness.person, now: now)
            #expect(try !harness.files(holding: secret).isEmpty)
        }
        try await harness.store.upkeep.heartbeat(of: harness.worker, now: harness.now)
        #expect(try harness.files(holding: secret) == [])
        try other.close()
    }

    @Test func `the tombstone keeps the side and whether the card was delivered`() async throws {
        let sent = try await harness.sent("front", number: "N", .accepted)
        let unsent = try await harness.verified("back", number: "M", .back)
        try await harness.erase(sent, unsent)
        for (id, side, wasDelivered) in [(sent, "front", 1), (unsent, "back", 0)] {
            #expect(try await harness.value("SELECT side FROM card WHERE id = \(id)") == side)
            #expect(try await harness.value("SELECT was_delivered FROM card WHERE id = \(id)") == wasDelivered)
        }
        // A front that was delivered lets its back go, erased or not.
        let back = try await harness.verified("its back", number: "N", .back)
        #expect(try await harness.proposals() == [[back]])
    }

    @Test func `neither the same file nor the same request brings an erased card back`() async throws {
        let file = try harness.file("front")
        var photo = harness.photo("front", number: "N", file: file)
        let receipt = Receipt(kind: .idempotencyKey, name: "one", request: ContentDigest(of: Data("request".utf8)))
        photo.receipt = receipt
        let id = try await harness.admit(photo).card
        try await harness.erase(id)
        let known = try await harness.known([file])
        #expect(known[0]?.card == id && known[0]?.state == .erased)
        let replay = try await harness.store.intake.outcome(of: receipt, from: "local")
        #expect(replay?.card == id && replay?.state == .erased)
        #expect(try await harness.store.listings.counts() == [.erased: 1])
    }

    @Test func `a card that does not open is erased like any other`() async throws {
        let id = try await harness.admit("front", number: "N").card
        try await harness.plant("UPDATE card_key SET wrapped = x'00'")
        try await harness.erase(id)
        #expect(try await harness.findings() == [])
    }

    @Test func `who may not see the holder writes neither name nor number nor address for ever`() async throws {
        let fields = CardFields(
            name: "张三丰",
            birthDate: "1949-12-31",
            address: "北京市东城区样本路1号",
            number: "11010519491231002X"
        )
        let clerk = Caller(subject: "clerk", scopes: [.erase, .review])
        for (index, text) in ["张 三丰", "19491231", "no. 1231002X", "北京市东城区样本路1号"].enumerated() {
            let (card, job) = try await harness.verifying("\(index)", number: "N-\(index)")
            try await harness.conclude(job, CardReading(side: .front, fields: fields))
            let origin = try AccessOrigin(clerk, actor: "token:clerk", purpose: text)
            let erased = try await harness.store.upkeep.erase([card], because: .requested, by: origin, now: harness.now)
            #expect(erased.certificates.map(\.purpose) == ["(hidden)"], "\(text)")
        }
        #expect(try await harness.accessLog().filter { $0[0] == "erase" }.allSatisfy { $0[2] == "(hidden)" })
        let list = try String(contentsOfFile: harness.folder + "/erasures.jsonl", encoding: .utf8)
        #expect(!list.contains("张") && !list.contains("1231"))
    }

    @Test func `an unknown card among others has none of them erased`() async throws {
        let id = try await harness.admit("front", number: "N").card
        #expect(await code { try await harness.erase(id, CardID(rawValue: "nobody")) } == .notFound)
        #expect(try await harness.state(id) == "prepared")
        #expect(try harness.listed() == [])
    }

    @Test func `erasing again answers with the certificate of then`() async throws {
        let id = try await harness.admit("front", number: "N").card
        let first = try await harness.erase(id, id)
        harness.pass(.seconds(60))
        #expect(try await harness.erase(id) == [first[0]])
        #expect(try await harness.accessLog().count { $0[0] == "erase" } == 1)
    }

    // MARK: Certificates

    @Test func `the certificate says what others may hold`() async throws {
        let new = try await harness.admit("new", number: "A").card
        #expect(try await harness.erase(new)[0].verifier == .notSent)
        let claimed = try await harness.admit("claimed", number: "B").card
        _ = try await harness.claim()
        #expect(try await harness.erase(claimed)[0].verifier == .mayHold)
        let (sending, _) = try await harness.delivering("sending", number: "C")
        let underWay = try await harness.erase(sending)[0]
        #expect((underWay.verifier, underWay.backend) == (.holds, .mayHold))
        #expect(underWay.deliveries.count == 1)
        let refused = try await harness.sent("refused", number: "D", .failure(.rejected))
        #expect(try await harness.erase(refused)[0].backend == .refused)
        let unsent = try await harness.sent("unsent", number: "E", .failure(.notSent))
        #expect(try await harness.erase(unsent)[0].backend == .notSent)
    }

    @Test func `the list names each card with its line of the access log, of which the certificate is made`()
        async throws
    {
        let id = try await harness.admit("front", number: "N").card
        let certificate = try await harness.erase(id)[0]
        let text = try String(contentsOfFile: "\(harness.folder)/erasures.jsonl", encoding: .utf8)
        let line = #"{"access_number":\#(certificate.accessNumber),"card_id":"\#(id)","reason":"requested"}"#
        #expect(text == line + "\n")
        let code = try await harness.value(
            "SELECT mac FROM access_log WHERE number = \(certificate.accessNumber) AND card = \(id)",
            as: Data.self
        )
        #expect(code?.map { String(format: "%02x", $0) }.joined() == certificate.accessCode)
        #expect((certificate.actor, certificate.reason.rawValue) == ("test", "requested"))
        #expect(try await harness.erase(id) == [certificate])
        #expect(try harness.listed() == [id])
    }

    @Test func `a line that was cut off swallows no other, and counts for its card`() async throws {
        let id = try await harness.admit("front", number: "N").card
        let path = "\(harness.folder)/erasures.jsonl"
        try Data(#"{"card_id":"cut","eras"#.utf8).write(to: URL(filePath: path))
        try await harness.erase(id)
        #expect(Set(try harness.listed()) == [id, CardID(rawValue: "cut")])
        try Data("nonsense\n".utf8).write(to: URL(filePath: path))
        #expect { try harness.listed() } throws: { ($0 as? CodedError)?.code.rawValue == "erasures_unreadable" }
        #expect(try await harness.findings() == ["erasures_unreadable"])
    }

    @Test func `a line that was removed is found, and written again by a repair`() async throws {
        let ids = try await harness.admitTwo()
        for id in ids { try await harness.erase(id) }
        let path = "\(harness.folder)/erasures.jsonl"
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        try Data((lines[0] + "\n").utf8).write(to: URL(filePath: path))
        let findings = try await harness.store.upkeep.check()
        #expect(findings.map(\.code) == ["erasure_line_missing"] && findings.map(\.card) == [ids[1]])
        try FileManager.default.removeItem(atPath: path)
        #expect(try await harness.findings() == ["erasure_line_missing", "erasure_line_missing"])
        let repaired = try await harness.store.upkeep.repair(by: StoreHarness.person, now: harness.now)
        #expect(repaired.left == [] && repaired.mended.count == 2)
        #expect(try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n") == lines)
    }

    @Test func `a certificate whose tombstone is damaged is refused, and not made up`() async throws {
        let id = try await harness.admit("front", number: "N").card
        try await harness.erase(id)
        try await harness.plant("UPDATE card SET remains = x'00'")
        #expect(await code { try await harness.erase(id) } == .sandboxDamaged)
    }

    @Test func `nothing is erased where the list cannot be written`() async throws {
        let id = try await harness.admit("front", number: "N").card
        let list = "\(harness.folder)/erasures.jsonl"
        try FileManager.default.createDirectory(atPath: list, withIntermediateDirectories: false)
        #expect(await code { try await harness.erase(id) } == .sandboxUnavailable)
        #expect(try await harness.state(id) == "prepared")
    }

    @Test func `erasing one of two that are being sent leaves the other unknown until the answer comes`() async throws {
        let (front, back, job) = try await harness.joint()
        try await harness.erase(front)
        #expect(try await harness.state(back) == "held outcome_unknown")
        try await harness.conclude(job, .accepted)
        #expect(try await harness.state(back) == "delivered")
        #expect(try await harness.state(front) == "erased requested")
        #expect(try await harness.value("SELECT was_delivered FROM card WHERE id = \(front)") == 1)
        let order = try await harness.card(front).order
        #expect(try await harness.value("SELECT front_delivered FROM cases") == order)
        #expect(try await harness.findings() == [])
    }

    @Test func `a call that ends after its card was erased changes nothing`() async throws {
        let (id, job) = try await harness.verifying("front", number: "N")
        try await harness.erase(id)
        #expect(try await harness.conclude(job, side: .front, number: "11010519491231002X").state == .erased)
        let (sending, delivery) = try await harness.delivering("other", number: "M")
        try await harness.erase(sending)
        try await harness.conclude(delivery, .failure(.rejected))
        #expect(try await harness.state(sending) == "erased requested")
        #expect(try await harness.findings() == [])
    }

    @Test(arguments: Erasure.Step.allCases)
    func `killed at any step, an erasure is done with its line or not done at all`(step: Erasure.Step) async throws {
        let id = try await harness.verified("front", number: "N", .front)
        try await harness.store.upkeep.stop(harness.worker, now: harness.now)
        try harness.store.close()
        let arguments = harness.arguments(step, id.rawValue)
        await #expect(processExitsWith: .signal(SIGKILL)) { [arguments = arguments as [String]] in
            let process = KilledProcess(arguments: arguments)
            var erasure = Erasure(
                store: try await process.open(),
                reason: .requested,
                origin: AccessOrigin(actor: "test"),
                now: KilledProcess.now
            )
            erasure.reached = { process.reach($0) }
            _ = try await erasure.run([CardID(rawValue: process.rest[0])])
        }
        harness.store = try await harness.another()
        let isErased = try await harness.state(id) == "erased requested"
        #expect(isErased == (step == .committed || step == .scrubbed))
        #expect(try harness.listed() == (step == .begun ? [] : [id]))
        // What was cut off is found, and ended by asking once more.
        #expect(try await harness.findings() == (step == .listed ? ["erasure_cut_off"] : []))
        try await harness.erase(id)
        #expect(try await harness.state(id) == "erased requested")
        #expect(try await harness.findings() == [])
    }
}
