import CardModel
import Foundation
import Testing

@testable import CardRemote

/// What the backend's answers mean.
@Suite struct BackendReplyTests {
    static let table = RetcodeTable(
        success: ["000000", "0"],
        alreadyExists: ["000001"],
        tokenExpired: ["100001"],
        retryable: ["900001"]
    )

    private func outcome(
        _ status: Int,
        _ body: String,
        retryAfter: Duration? = nil,
        mask: MessageMask = MessageMask(),
        table: RetcodeTable = Self.table
    ) -> DeliveryOutcome {
        BackendReply(table: table).outcome(
            of: HTTPReply(status: status, retryAfter: retryAfter, body: Data(body.utf8)),
            mask: mask
        )
    }

    @Test(arguments: [
        (#"{"RETCODE":"000000","RETMSG":"上传成功"}"#, "000000"), (#"{"RETCODE":0}"#, "0"), (#"{"RETCODE":"0"}"#, "0"),
        (#"{"RETCODE":" 000000 ","RETMSG":null,"ITEMS":[]}"#, "000000"),
        (#"{"RETCODE":0.0}"#, "0"), ("<r><RETCODE>000000</RETCODE></r>", "000000"),
    ])
    func `Success is a code of the list, as text or as a number`(body: String, code: String) {
        #expect(self.outcome(200, body) == .accepted(alreadyExisted: false, code: code))
    }

    @Test(arguments: [200, 400, 409])
    func `Already there is success, under an error status too`(status: Int) {
        let outcome = self.outcome(status, #"{"RETCODE":"000001"}"#)
        #expect(outcome == .accepted(alreadyExisted: true, code: "000001"))
    }

    @Test(arguments: [200, 400, 401, 403, 404])
    func `A refused TOKEN is told apart, under an error status too`(status: Int) throws {
        let failure = try #require(self.outcome(status, #"{"RETCODE":"100001","RETMSG":"expired"}"#).tokenExpired)
        #expect(failure.kind == "stop 100001")
        #expect(failure.message.contains("delivery.token"))
        #expect(failure.httpStatus == status)
        #expect(!failure.mayBeApplied)
    }

    @Test func `a 401 is a refused TOKEN, and so is every status that the list names`() throws {
        for body in ["", "<html></html>", #"{"RETCODE":"E1","RETMSG":"canary"}"#] {
            let failure = try #require(self.outcome(401, body).tokenExpired)
            #expect(failure.failureClass == .stop && failure.code == "http_401" && failure.stopScope == .account)
            #expect(!failure.mayBeApplied)
            #expect(failure.message.contains("delivery.token") && !failure.message.contains("canary"))
        }
        let table = RetcodeTable(tokenExpired: ["http_403", "http_400"])
        for (status, isToken) in [(403, true), (400, true), (404, false), (405, false)] {
            let outcome = self.outcome(status, "", table: table)
            #expect((outcome.tokenExpired?.mayBeApplied == false) == isToken, "status \(status)")
            #expect((outcome.failure?.mayBeApplied == true) != isToken, "status \(status)")
        }
    }

    @Test func `Any other code is a refusal, with the backend's code and words`() {
        let failure = self.outcome(200, #"{"RETCODE":"E-17","RETMSG":"DOCTYPE\nnot allowed"}"#).failure
        #expect(failure?.kind == "rejected E-17")
        #expect(failure?.message.contains("(E-17: DOCTYPE not allowed)") == true)
    }

    @Test(arguments: [
        "", "{", #"{"RETCODE":"0000"#, "<html>ok</html>", "[]", "{}", #"{"retcode":"000000"}"#, #"{"RETCODE":""}"#,
        "OK",
    ])
    func `A success without a code we can read is unknown, not success`(body: String) {
        let failure = self.outcome(200, body).failure
        #expect(failure?.kind == "unknown unreadable_reply")
    }

    @Test(arguments: [
        (#"{"code":0,"msg":"canary"}"#, "code, msg"), (#"{"retcode":"0","data":{"RETCODE":"0"}}"#, "retcode, data"),
        ("<r><code>0</code><msg>canary</msg></r>", "code, msg"),
        (#"{"code":1,"11010519491231002X":1,"a b":2,"张三":3}"#, "code, …"), ("{}", nil), ("[]", nil),
    ])
    func `A reply without a code names the fields that it has, and the key that says which it is`(
        body: String,
        fields: String?
    ) throws {
        let message = try #require(self.outcome(200, body).failure).message.text()
        #expect(message.contains("delivery.reply.code") == (body != "[]"), "\(message)")
        if let fields { #expect(message.contains("(its fields: \(fields))"), "\(message)") }
        #expect(!message.contains("canary") && !message.contains("1949"))
    }

    @Test(arguments: ["9999", "E-1"])
    func `A code has one remedy, whatever the status it stands under`(code: String) throws {
        let unlisted =
            "add this RETCODE to the right list, then run: idcard-pipeline cards retry --reason retcode_unlisted"
        for (list, remedy) in [(Set<String>(), unlisted), ([code], "correct the card's data")] {
            var table = Self.table
            table.rejected = list
            for status in [200, 400, 406, 418] {
                let body = #"{"RETCODE":"\#(code)","RETMSG":"no"}"#
                let failure = try #require(self.outcome(status, body, table: table).failure)
                let message = failure.message.text()
                #expect(failure.kind == "rejected \(code)")
                #expect(message.contains(remedy) && message.contains("(\(code): no)"), "\(status): \(message)")
                #expect((status == 200) != message.contains("answered \(status)"), "\(message)")
            }
        }
    }

    @Test(arguments: [
        (302, FailureClass.unknown, "http_302"), (303, .unknown, "http_303"), (301, .stop, "http_301"),
        (308, .stop, "http_308"), (400, .stop, "http_400"),
        (403, .stop, "http_403"), (404, .stop, "http_404"), (405, .stop, "http_405"), (407, .stop, "http_407"),
        (408, .unknown, "http_408"), (409, .unknown, "in_progress"), (410, .stop, "http_410"),
        (411, .stop, "http_411"), (413, .rejected, "http_413"), (415, .stop, "http_415"),
        (421, .unknown, "http_421"), (422, .unknown, "idempotency_key_conflict"), (425, .unknown, "http_425"),
        (429, .throttled, "http_429"), (431, .stop, "http_431"), (451, .stop, "http_451"), (500, .unknown, "http_500"),
        (502, .unknown, "http_502"), (503, .unknown, "http_503"), (504, .unknown, "http_504"),
    ])
    func `Without a code the status decides`(status: Int, expected: FailureClass, code: String) {
        for body in ["", "<html></html>", #"{"code":"key_reused"}"#] {
            let failure = self.outcome(status, body).failure
            #expect(failure?.kind == "\(expected) \(code)")
            #expect(failure?.httpStatus == status)
            #expect(failure?.isUnlisted == false)
            // Only these say for certain that nothing was applied.
            #expect(failure?.mayBeApplied == ![407, 413, 429].contains(status))
        }
    }

    @Test(arguments: [503, 429])
    func `A 503 that names a time, and every 429, ask for a slower pace`(status: Int) {
        let failure = self.outcome(status, "", retryAfter: .seconds(4)).failure
        #expect(failure?.failureClass == .throttled)
        #expect(failure?.retryAfter == .seconds(4))
        #expect(failure?.mayBeApplied == (status == 503))
    }

    @Test(arguments: [400, 401, 403, 404, 407, 413, 429, 500])
    func `a code of success under an error status is not believed, nor is the status`(status: Int) {
        let failure = self.outcome(status, #"{"RETCODE":"000000"}"#).failure
        #expect(failure?.failureClass == .unknown)
        #expect(failure?.mayBeApplied == true)
    }

    @Test(arguments: [200, 400, 403, 404])
    func `a code that refuses, or says not now, proves that nothing was applied`(status: Int) {
        let table = RetcodeTable(retryable: ["900001"], rejected: ["E1"])
        for (code, failureClass) in [("E1", FailureClass.rejected), ("900001", .transient)] {
            let failure = self.outcome(status, #"{"RETCODE":"\#(code)"}"#, table: table).failure
            #expect(failure?.mayBeApplied == false)
            #expect(status != 200 || failure?.kind == "\(failureClass) \(code)")
        }
    }

    @Test(arguments: [200, 400, 415, 451])
    func `a code of no list is the backend's own refusal, for a person to judge unless the setting says`(status: Int) {
        var refusing = RetcodeTable()
        refusing.unlisted = .reject
        for (table, isUnlisted) in [
            (RetcodeTable(), true), (RetcodeTable(rejected: ["E-17"]), false), (refusing, false),
        ] {
            let failure = self.outcome(status, #"{"RETCODE":"E-17"}"#, table: table).failure
            #expect(failure?.kind == "rejected E-17" && failure?.mayBeApplied == false)
            #expect(failure?.isUnlisted == isUnlisted)
        }
    }

    @Test(arguments: [301, 403, 404, 500, 502, 503])
    func `a gateway's status with a code of no list may stand in the place of a success`(status: Int) {
        let failure = self.outcome(status, #"{"RETCODE":"E1"}"#, retryAfter: .seconds(1)).failure
        #expect(failure?.mayBeApplied == true)
    }

    @Test(arguments: ["000001", "100001", "900001", "E1"])
    func `A gateway's error status is unknown whatever the body says, a key conflict unless a list has its code`(
        code: String
    ) {
        #expect(self.outcome(500, #"{"RETCODE":"\#(code)"}"#).failure?.failureClass == .unknown)
        let conflict = self.outcome(422, #"{"RETCODE":"\#(code)"}"#)
        #expect((conflict.failure?.kind == "unknown idempotency_key_conflict") == (code == "E1"))
    }

    /// A body for each thing that an answer can say, by the lists of the table below.
    private static let bodies: [BackendMeaning.Content: [String]] = [
        .code(.success): [#"{"RETCODE":"OK"}"#], .code(.alreadyExists): [#"{"RETCODE":"A"}"#],
        .code(.tokenExpired): [#"{"RETCODE":"T"}"#], .code(.retryable): [#"{"RETCODE":"L"}"#],
        .code(.refusal): [#"{"RETCODE":"R"}"#], .code(.unlisted): [#"{"RETCODE":"?"}"#],
        .noCode: ["", "ok", #"{"code":0}"#, "<r><code>0</code></r>", "[]"],
        .page: ["<!DOCTYPE html><p>", "<HTML></HTML>", String(repeating: "x", count: 5_000)],
        .cutOff: [#"{"RETC"#],
    ]

    @Test func `each row of the table of meanings leads to its outcome`() throws {
        let table = RetcodeTable(
            success: ["OK"],
            alreadyExists: ["A"],
            tokenExpired: ["T"],
            retryable: ["L"],
            rejected: ["R"]
        )
        var unmet = Set(BackendMeaning.allCases)
        for status in [200, 201, 204, 299, 300, 302, 303, 307, 500, 502, 503, 599, 600] + Array(400...451) {
            for (words, bodies) in Self.bodies {
                // A success that broke off is no answer: the transport says so.
                if words == .cutOff, status < 300 { continue }
                for body in bodies {
                    let reply = HTTPReply(status: status, body: Data(body.utf8), isComplete: words != .cutOff)
                    let outcome = BackendReply(table: table).outcome(of: reply, mask: MessageMask())
                    let meaning = BackendMeaning(status: status, content: words)
                    unmet.remove(meaning)
                    self.expect(outcome, meaning, "\(status) \(words)")
                }
            }
        }
        #expect(unmet == [.busy])
        #expect(BackendMeaning(status: 503, asksToWait: true) == .busy)
    }

    private func expect(_ outcome: DeliveryOutcome, _ meaning: BackendMeaning, _ place: Comment) {
        switch meaning {
        case .accepted, .alreadyThere:
            if case .accepted(let existed, _) = outcome {
                #expect(existed == (meaning == .alreadyThere), place)
            } else {
                Issue.record("\(place): \(outcome)")
            }
        case .token: #expect(outcome.tokenExpired?.mayBeApplied == false, place)
        default:
            let failure = outcome.failure
            #expect(failure?.failureClass == meaning.consequence.failureClass, place)
            #expect(failure?.mayBeApplied == meaning.consequence.mayBeApplied, place)
            #expect(failure?.isUnreadable == (meaning == .unreadable), place)
            #expect(failure?.isUnlisted == (meaning == .unlisted), place)
        }
    }

    @Test(arguments: [402, 403, 404, 405, 409, 410, 413, 415, 422])
    func `a code of a list counts under every status of the client's side but those about the call itself`(status: Int)
    {
        let table = RetcodeTable(alreadyExists: ["A"], tokenExpired: ["T"], retryable: ["L"], rejected: ["R"])
        func outcome(_ code: String) -> DeliveryOutcome {
            self.outcome(status, #"{"RETCODE":"\#(code)"}"#, table: table)
        }
        #expect(outcome("A") == .accepted(alreadyExisted: true, code: "A"))
        #expect(outcome("T").tokenExpired?.code == "T")
        #expect(outcome("L").failure?.kind == "transient L")
        #expect(outcome("R").failure?.kind == "rejected R")
        for other in [401, 407, 408, 421, 425, 429] {
            let failure = self.outcome(other, #"{"RETCODE":"R"}"#, table: table)
            #expect((failure.failure ?? failure.tokenExpired)?.failureClass != .rejected)
        }
    }

    @Test func `success may be a boolean, a field within another, or a status without a body`() {
        var names = ReplyNames()
        names.code = "success"
        var replies = BackendReply(table: RetcodeTable(success: ["true", "http_201", "http_204"]), names: names)
        func code(_ status: Int, _ body: String) -> String? {
            let reply = HTTPReply(status: status, body: Data(body.utf8))
            if case .accepted(_, let code) = replies.outcome(of: reply, mask: MessageMask()) { return code }
            return nil
        }
        #expect(code(200, #"{"success":true}"#) == "true")
        #expect(code(200, #"{"success":false}"#) == nil)
        #expect(code(200, "<r><success>true</success></r>") == "true")
        #expect(code(201, "") == "http_201" && code(204, " \r\n") == "http_204")
        #expect(code(200, "") == nil && code(202, "") == nil && code(201, "created") == nil)
        replies.names.code = "head.RETCODE"
        replies.table = RetcodeTable()
        #expect(code(200, #"{"head":{"RETCODE":"0"}}"#) == "0")
        #expect(code(200, #"{"head.RETCODE":"0","head":{"RETCODE":"E"}}"#) == "0")
        #expect(code(200, "<r><head><RETCODE>0</RETCODE></head></r>") == "0")
        #expect(code(200, #"{"head":{"RETCODE":"0"},"head":{"RETCODE":"0"}}"#) == nil)
    }

    @Test(arguments: [
        #"{"c":"0","i":[{"c":"E1","m":"words","RETCODE":"0"}],"RETCODE":"9"}"#,
        "<r><c>0</c><i><x><c>E1</c><m>words</m><RETCODE>0</RETCODE></x></i><RETCODE>9</RETCODE></r>",
    ]) func `The names of the reply's fields are configuration, in both formats`(body: String) {
        var names = ReplyNames()
        (names.code, names.message, names.items) = ("c", "m", "i")
        let reply = HTTPReply(status: 200, body: Data(body.utf8))
        let outcome = BackendReply(table: Self.table, names: names).outcome(of: reply, mask: MessageMask())
        #expect(outcome.items?.count == 1 && outcome.items?.first?.failure?.code == "E1")
        #expect(outcome.items?.first?.failure?.message.contains("words") == true)
    }

    @Test func `The backend's words are cut to 200 characters and freed of control characters`() {
        let words = MessageMask().presentable("a\u{0}\u{1B}[31mb\u{202E}\r\n" + String(repeating: "错", count: 500))
        #expect(words.count == 200)
        #expect(words.isVisibleLine)
        #expect(words.hasPrefix("a  [31mb"))
    }

    @Test(arguments: [200, 401, 404])
    func `What stops the stage names the code, and repeats none of the backend's words`(status: Int) throws {
        let code = status == 404 ? "E1" : "100001"
        let outcome = self.outcome(status, #"{"RETCODE":"\#(code)","RETMSG":"canary"}"#)
        let failure = outcome.tokenExpired ?? outcome.failure
        #expect(failure?.failureClass == .stop)
        #expect(failure?.message.contains(code) == true)
        #expect(failure?.message.contains("canary") == false)
    }

    @Test(arguments: [
        "张 三", "a b", String(repeating: "9", count: 65), "110101900307001", "1101019003070011",
        "11010119900307001X",
        "1101-01900307001", "A110101900307001", "ABCDEFGHIJKLMNOPQ", "canary", "E-CANARY-1",
    ])
    func `A RETCODE that is no code, or may be an identity number, is not repeated`(code: String) {
        let mask = MessageMask(sent: ["canary"])
        let failure = self.outcome(200, #"{"RETCODE":"\#(code)"}"#, mask: mask).failure
        #expect(failure?.kind == "rejected unknown_retcode")
        #expect(failure?.message.contains(code) == false)
    }

    @Test func `A RETCODE is shown although some of its digits are those of the holder`() {
        let mask = MessageMask(confidential: ["110101200007131000"])
        for code in ["200001", "100002"] {
            #expect(self.outcome(200, #"{"RETCODE":"\#(code)"}"#, mask: mask).failure?.code == code)
        }
        #expect(self.outcome(200, #"{"RETCODE":"E200007"}"#, mask: mask).failure?.code == "unknown_retcode")
    }

    @Test func `A RETCODE of a list is shown whatever was sent`() throws {
        let mask = MessageMask(sent: ["100001"])
        let failure = try #require(self.outcome(200, #"{"RETCODE":"100001"}"#, mask: mask).tokenExpired)
        #expect(failure.code == "100001")
    }

    @Test(arguments: ["ABCDEFGHIJKLMNOP", "20240101120000"])
    func `A code of 16 characters, or of 14 digits, is shown`(code: String) {
        #expect(self.outcome(200, #"{"RETCODE":"\#(code)"}"#).failure?.code == code)
    }

    @Test func `By default only the usual spellings of success are known`() {
        let table = RetcodeTable()
        for code in ["000000", "0000", "0"] { #expect(table.meaning(of: code) == .success) }
        for code in ["000001", "1", "00", "-1", "SUCCESS"] { #expect(table.meaning(of: code) == .unlisted) }
    }

    @Test(arguments: [(400, FailureClass.unknown), (418, .unknown), (413, .rejected), (401, .stop), (429, .throttled)])
    func `A refusal whose words were cut off may have been another word`(status: Int, expected: FailureClass) {
        let body = Data(#"{"RETCODE":"0000"#.utf8)
        let reply = HTTPReply(status: status, body: body, isComplete: false)
        let cut = BackendReply().outcome(of: reply, mask: MessageMask())
        #expect((cut.failure ?? cut.tokenExpired)?.kind == "\(expected) http_\(status)")
        let whole = BackendReply().outcome(of: HTTPReply(status: 400, body: body), mask: MessageMask())
        #expect(whole.failure?.failureClass == .stop)
    }

    @Test func `A stop is about the account where credentials are, else about the request`() {
        for status in [302, 401, 403, 404, 405, 407, 410] {
            let outcome = self.outcome(status, "")
            let scope = (outcome.failure ?? outcome.tokenExpired)?.stopScope
            #expect(scope == ([401, 407].contains(status) ? .account : .request), "status \(status)")
        }
    }
}
