import CardModel
import Foundation
import Testing

@testable import CardRemote

/// What answers card by card mean.
@Suite struct BackendItemsTests {
    /// What is expected of one card.
    private enum Expected: Equatable {
        case accepted(Bool)
        case rejected(String)
        case notApplied(FailureClass)
        case unknown(String)
    }

    private static let batch = DeliveryShape(members: 3, isBatch: true)
    private static let application = DeliveryShape(members: 2, isBatch: false)

    private func outcome(_ status: Int, _ body: String, _ shape: DeliveryShape) -> DeliveryOutcome {
        BackendReply(table: BackendReplyTests.table).outcome(
            of: HTTPReply(status: status, retryAfter: .seconds(3), body: Data(body.utf8)),
            mask: MessageMask(sent: ["canary-token"], confidential: ["欧阳甲"]),
            shape: shape
        )
    }

    private func json(_ whole: String?, _ items: [String]) -> String {
        let entries = items.map { "{\"RETCODE\":\"\($0)\",\"RETMSG\":\"m\"}" }.joined(separator: ",")
        let head = whole.map { "\"RETCODE\":\"\($0)\"," } ?? ""
        return "{\(head)\"ITEMS\":[\(entries)]}"
    }

    private func xml(_ whole: String?, _ items: [String]) -> String {
        let entries = items.map { "<ITEM><RETCODE>\($0)</RETCODE><RETMSG>m</RETMSG></ITEM>" }.joined()
        let head = whole.map { "<RETCODE>\($0)</RETCODE>" } ?? ""
        return "<RESPONSE>\(head)<RETMSG/><ITEMS>\(entries)</ITEMS></RESPONSE>"
    }

    private func expected(_ outcome: DeliveryOutcome) -> [Expected]? {
        outcome.items?.map { item in
            switch item {
            case .accepted(let alreadyExisted, _): .accepted(alreadyExisted)
            case .rejected(let failure): .rejected(failure.code)
            case .notApplied(let failure): .notApplied(failure.failureClass)
            case .unknown(let failure): .unknown(failure.code)
            }
        }
    }

    @Test(arguments: ["000000", "000001", "E0", "900001", nil])
    func `Each card takes its own answer, whatever the answer for all is`(whole: String?) {
        for body in [self.json(whole, ["000000", "000001", "E1"]), self.xml(whole, ["0", "000001", "E1"])] {
            let outcome = self.outcome(200, body, Self.batch)
            #expect(self.expected(outcome) == [.accepted(false), .accepted(true), .rejected("E1")])
        }
        let outcome = self.outcome(200, self.json(whole, ["900001", "100001", "000000"]), Self.batch)
        #expect(self.expected(outcome) == [.notApplied(.transient), .notApplied(.stop), .accepted(false)])
    }

    @Test func `Answers card by card count in an application and for a single card, too`() {
        let application = self.outcome(200, self.json("E0", ["000000", "E1"]), Self.application)
        #expect(self.expected(application) == [.accepted(false), .rejected("E1")])
        #expect(self.expected(self.outcome(200, self.json("0", ["E1"]), DeliveryShape())) == [.rejected("E1")])
    }

    @Test(arguments: ["", ",\"ITEMS\":null"])
    func `Without answers card by card the one for all holds for all`(items: String) {
        func outcome(_ code: String) -> DeliveryOutcome {
            self.outcome(200, "{\"RETCODE\":\"\(code)\"\(items)}", Self.batch)
        }
        #expect(outcome("000000") == .accepted(alreadyExisted: false, code: "000000"))
        #expect(outcome("000001") == .accepted(alreadyExisted: true, code: "000001"))
        #expect(outcome("E1").failure?.failureClass == .rejected)
        #expect(outcome("900001").failure?.failureClass == .transient)
        #expect(outcome("100001").tokenExpired != nil)
    }

    @Test(arguments: [("100001", ["100001", "E1", "900001"]), ("E0", ["100001", "100001", "100001"])])
    func `A refused TOKEN is one for the delivery, if no card was taken in`(whole: String, items: [String]) throws {
        let outcome = self.outcome(200, self.json(whole, items), Self.batch)
        #expect(outcome.tokenExpired?.failureClass == .stop)
    }

    @Test(arguments: [
        // The TOKEN was refused, and yet something was taken in.
        #"{"RETCODE":"100001","ITEMS":[{"RETCODE":"000000"},{"RETCODE":"E1"},{"RETCODE":"E1"}]}"#,
        #"{"RETCODE":"100001","ITEMS":[{"RETCODE":"E1"},{"RETCODE":"E1"},{"RETCODE":"000001"}]}"#,
        // Refused as a whole, and yet everything was taken in.
        #"{"RETCODE":"E1","ITEMS":[{"RETCODE":"0"},{"RETCODE":"0"},{"RETCODE":"000001"}]}"#,
        #"{"RETCODE":"900001","ITEMS":[{"RETCODE":"0"},{"RETCODE":"0"},{"RETCODE":"0"}]}"#,
        // All well, and nothing was taken in.
        #"{"RETCODE":"000000","ITEMS":[]}"#, "<r><RETCODE>000000</RETCODE><ITEMS/></r>",
        // Not one for each card.
        #"{"RETCODE":"000000","ITEMS":[{"RETCODE":"000000"},{"RETCODE":"000000"}]}"#,
        #"{"RETCODE":"E1","ITEMS":[{"RETCODE":"E1"}]}"#, #"{"RETCODE":"100001","ITEMS":[{"RETCODE":"100001"}]}"#,
        #"{"RETCODE":"0","ITEMS":[{"RETCODE":"0"},{"RETCODE":"0"},{"RETCODE":"0"},{"RETCODE":"0"}]}"#,
        // None with a code.
        #"{"RETCODE":"000000","ITEMS":[{"RETMSG":"ok"},null,{"RETCODE":"0","RETCODE":"E1"}]}"#,
        // No list.
        #"{"RETCODE":"000000","ITEMS":{"RETCODE":"000000"}}"#, #"{"RETCODE":"000000","ITEMS":"3"}"#,
        "<r><RETCODE>000000</RETCODE><ITEMS><ITEM><RETCODE>000000</RETCODE></ITEM></ITEMS></r>",
    ])
    func `Answers of a batch that contradict each other or its size leave the outcome unknown`(body: String) {
        let failure = self.outcome(200, body, Self.batch).failure
        #expect(failure?.kind == "unknown items_mismatch")
        #expect(failure?.httpStatus == 200)
    }

    @Test(arguments: [
        #"{"RETCODE":"000000","ITEMS":[{"ID":"1"},{"ID":"2"}]}"#,
        #"{"RETCODE":"000000","ITEMS":[{"RETCODE":"E1"}]}"#,
        #"{"RETCODE":"000000","ITEMS":{}}"#, #"{"RETCODE":"000000","ITEMS":[1,2,3]}"#,
    ])
    func `In a form of one business number, entries that are no answers for its cards are ignored`(body: String) {
        let accepted = DeliveryOutcome.accepted(alreadyExisted: false, code: "000000")
        #expect(self.outcome(200, body, Self.application) == accepted)
    }

    @Test(arguments: [400, 401, 403, 404, 409, 413, 429])
    func `Under an error status a document taken in is a contradiction`(status: Int) {
        for items in [["000000", "E1", "E1"], ["000000", "E1"], ["000001", "E1"]] {
            let failure = self.outcome(status, self.json("E0", items), Self.batch).failure
            #expect(failure?.kind == "unknown items_mismatch")
        }
    }

    @Test func `A refusing status leaves each card its own code, and what is already there is`() {
        let outcome = self.outcome(400, self.json("E0", ["E1", "000001", "900001"]), Self.batch)
        #expect(self.expected(outcome) == [.rejected("E1"), .accepted(true), .notApplied(.transient)])
        let conflict = self.outcome(409, self.json("E0", ["000001", "000001", "000001"]), Self.batch)
        #expect(self.expected(conflict) == [.accepted(true), .accepted(true), .accepted(true)])
    }

    @Test(arguments: [
        (401, FailureClass.stop), (404, .stop), (408, .unknown), (409, .unknown), (422, .unknown),
        (429, .throttled), (500, .unknown), (503, .throttled),
    ])
    func `refused cards outweigh no status that means more than a refusal`(status: Int, failureClass: FailureClass) {
        let outcome = self.outcome(status, self.json("E0", ["E1", "E2", "E3"]), Self.batch)
        #expect((outcome.failure ?? outcome.tokenExpired)?.failureClass == failureClass)
    }

    @Test func `A refusing status stands where the entries do not fit and name nothing as taken in`() {
        #expect(self.outcome(400, self.json("E0", ["E1"]), Self.batch).failure?.failureClass == .rejected)
        #expect(self.outcome(400, self.json("000001", ["E1"]), Self.batch).failure?.code == "items_mismatch")
    }

    @Test(arguments: [422, 500, 502])
    func `A server's error and a key conflict are unknown whatever the entries say`(status: Int) {
        let body = self.json("000000", ["000000", "000000", "000000"])
        #expect(self.outcome(status, body, Self.batch).failure?.failureClass == .unknown)
    }

    @Test func `A card's failure carries status, wait and masked words`() throws {
        let body = #"{"ITEMS":[{"RETCODE":"E1","RETMSG":"欧阳甲 11010119900307001X 不清晰 canary-token"}]}"#
        let outcome = self.outcome(200, body, DeliveryShape())
        #expect(self.expected(outcome) == [.rejected("E1")])
        let failure = try #require(outcome.items?.first?.failure)
        #expect(failure.message.contains("不清晰"))
        for secret in ["欧阳", "110101", "001X", "canary"] { #expect(!failure.message.contains(secret)) }
        #expect(failure.httpStatus == 200)
        #expect(failure.retryAfter == .seconds(3))
    }

    @Test func `A card whose TOKEN was refused repeats none of the backend's words`() throws {
        let body = #"{"ITEMS":[{"RETCODE":"100001","RETMSG":"words"},{"RETCODE":"0"}]}"#
        let outcome = self.outcome(200, body, Self.application)
        #expect(self.expected(outcome) == [.notApplied(.stop), .accepted(false)])
        let failure = try #require(outcome.items?.first?.failure)
        #expect(!failure.message.contains("words"))
    }

    @Test(arguments: [
        #"{"RETCODE":"E0","ITEMS":[{"RETCODE":"000000"},{"RETMSG":"ok"},{"RETCODE":"E1"}]}"#,
        #"{"RETCODE":"000000","ITEMS":[{"RETCODE":"000000"},null,{"RETCODE":"E1"}]}"#,
        #"{"ITEMS":[{"RETCODE":"0"},{"RETCODE":"0","RETCODE":"E1"},{"RETCODE":"E1"}]}"#,
    ])
    func `a card that a reply misses, or names twice, is unknown, and the others take their answers`(body: String) {
        let outcome = self.outcome(200, body, Self.batch)
        #expect(self.expected(outcome) == [.accepted(false), .unknown("item_missing"), .rejected("E1")])
    }
}
