#if TripleDES
import Foundation
import CardModel
import Testing

@testable import CardRemote

/// What replies in XML and 3DES mean for a delivery.
@Suite struct EncryptedOutcomeTests {
    private func outcome(_ status: Int, _ body: String, isConfigured: Bool = true) throws -> DeliveryOutcome {
        let encryption = ReplyEncryption(.cbc, key: Redacted(TripleDESSealing.key))
        return BackendReply(
            table: BackendReplyTests.table,
            cipher: isConfigured ? try ReplyCipher(encryption) : nil
        ).outcome(
            of: HTTPReply(status: status, body: Data(body.utf8)),
            mask: MessageMask(sent: ["canary-user"], confidential: ["欧阳甲"])
        )
    }

    private func sealed(_ plain: String) -> String { "\"\(TripleDESSealing.cbc(plain).base64EncodedString())\"" }

    @Test(arguments: [200, 400, 401, 409, 413, 422, 500])
    func `A code says the same in the clear, in XML and encrypted, under every status`(status: Int) throws {
        for code in ["000000", "000001", "100001", "900001", "E1"] {
            let json = "{\"RETCODE\":\"\(code)\",\"RETMSG\":\"m\"}"
            let xml = "<r><RETCODE>\(code)</RETCODE><RETMSG>m</RETMSG></r>"
            let expected = try self.outcome(status, json)
            for body in [xml, self.sealed(json), self.sealed(xml)] {
                #expect(try self.outcome(status, body) == expected)
            }
        }
    }

    @Test func `The backend's words are masked in every form`() throws {
        let words = "用户 canary-user 欧阳甲 11010119900307001X 不清晰"
        let json = "{\"RETCODE\":\"E1\",\"RETMSG\":\"\(words)\"}"
        let xml = "<r><RETCODE>E1</RETCODE><RETMSG>\(words)</RETMSG></r>"
        for body in [xml, self.sealed(json), self.sealed(xml)] {
            let failure = try #require(try self.outcome(200, body).failure)
            #expect(failure.failureClass == .rejected)
            #expect(failure.message.contains("不清晰"))
            for secret in ["canary", "欧阳", "110101", "001X"] { #expect(!failure.message.contains(secret)) }
        }
    }

    @Test func `Ciphertext is never success, and the message names the setting`() throws {
        let body = self.sealed(#"{"RETCODE":"000000"}"#)
        let unconfigured = try #require(try self.outcome(200, body, isConfigured: false).failure)
        #expect(unconfigured.kind == "unknown unreadable_reply")
        #expect(unconfigured.message.contains("set delivery.reply.encryption"))
        let foreign = "\"\(TripleDESSealing.cbc("x", key: "abcdefghijklmnopqrstuvwx").base64EncodedString())\""
        let undeciphered = try #require(try self.outcome(200, foreign).failure)
        #expect(undeciphered.kind == "unknown unreadable_reply")
        #expect(undeciphered.message.contains("delivery.reply.key"))
        #expect(!undeciphered.message.contains(foreign.dropFirst().dropLast()))
    }
}
#endif
