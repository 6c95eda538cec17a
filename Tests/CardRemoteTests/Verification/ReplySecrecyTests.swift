import CardModel
import Testing

@testable import CardRemote

/// No failure repeats what a reply quotes, and no reading prints the person.
@Suite struct ReplySecrecyTests {
    /// What was sent, and what the card shows; each as it may come back.
    static let canaries = [
        "CANARY_KEY", "canary-secret", "/uunz0L3/4DQXzN1canaryQ==", "canary.jpg", "张样本", SampleReplies.number,
        "北京市东城区样本街1号",
    ]

    private static func isSecret(_ text: String) -> Bool {
        text.contains("CANARY_KEY") || text.contains("canary-secret")
    }

    @Test(arguments: [200, 302, 400, 401, 403, 413, 429, 500, 503], VerificationDialect.allCases)
    func `No failure of any class repeats a credential, a signature, a file name or a field`(
        status: Int,
        dialect: VerificationDialect
    ) {
        for canary in Self.canaries {
            let codes = ["AUTHENTICATION_ERROR", "BAD_ARGUMENTS", "AUTHORIZATION_ERROR", "SOMETHING_NEW", "x"]
            let errors =
                codes.flatMap { ["\($0):\(canary)", "\($0): image, \(canary)"] } + [canary, "\(canary):image"]
            let bodies =
                errors.flatMap { error in
                    ["error_message", "error", "ERROR"].map {
                        #"{"\#($0)":"\#(error)","request_id":"\#(canary)","name":"\#(canary)"}"#
                    }
                } + [
                    canary, "<html>\(canary)</html>", #"{"\#(canary)":1}"#, #"["\#(canary)"]"#, #"{"x":"\#(canary)"}"#,
                ]
            for body in bodies {
                let reading = ReplyReading(reply(status, body), dialect: dialect, isSecret: Self.isSecret)
                var dumped = ""
                dump(reading.outcome, to: &dumped)
                for text in ["\(reading.outcome)", String(reflecting: reading.outcome), dumped] {
                    #expect(!text.contains(canary), "\(body)")
                }
            }
        }
    }

    @Test(arguments: ReplyShapeTests.pairs)
    func `nor does that of another dialect`(configured: VerificationDialect, answering: VerificationDialect) throws {
        let failure = try #require(outcome(configured, 200, SampleReplies.front(answering)).failure)
        for canary in Self.canaries + [SampleReplies.requestID] {
            #expect(!(failure.code + failure.message.text()).contains(canary))
            #expect(!String(reflecting: failure).contains(canary))
        }
    }

    @Test(arguments: VerificationDialect.allCases)
    func `Neither a reading nor its outcome prints the person`(dialect: VerificationDialect) throws {
        let outcome = outcome(dialect, 200, SampleReplies.front(dialect))
        let fields = try #require(outcome.reading).fields.all.map { $0.reveal() }
        #expect(fields.count == 6)
        var dumped = ""
        dump(outcome, to: &dumped)
        // Texts of one or two characters, 男 and 汉, would be found anywhere.
        for secret in fields where secret.count > 2 {
            for text in ["\(outcome)", String(reflecting: outcome), dumped] {
                #expect(!text.contains(secret))
            }
        }
    }
}
