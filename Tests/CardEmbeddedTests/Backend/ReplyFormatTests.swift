import CardEmbedded
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct ReplyFormatTests {
    private static let key = "0123456789abcdefghijklmn"

    private func body(
        _ format: EmbeddedBackend.ReplyFormat,
        _ encryption: EmbeddedBackend.ReplyEncryption? = nil,
        to form: HandWrittenForm = .single()
    ) async throws -> (type: String?, text: String) {
        let folder = BackendFolder()
        return try await withBackend(in: folder) {
            $0.replyFormat = format
            $0.replyEncryption = encryption
        } body: { client async throws in
            // Errors stay problem details in the clear.
            let error = try await client.upload(form, key: nil)
            #expect(error.status == 400 && error["content-type"] == "application/problem+json")
            let answer = try await client.upload(form, key: "\"k\"")
            #expect(try await client.upload(form, key: "\"k\"").body == answer.body)
            return (answer["content-type"], String(decoding: answer.body, as: UTF8.self))
        }
    }

    @Test func `Hold ITEMS in both formats`() async throws {
        let form = HandWrittenForm.batch([.init(number: "B-1"), .init(number: "B-2", image: [0])])
        #expect(
            try await self.body(.json, to: form).text
                == #"{"ITEMS":[{"RETCODE":"000000","RETMSG":"success"},"#
                + #"{"RETCODE":"200003","RETMSG":"FILE is not a whole JPEG"}],"RETCODE":"200010","RETMSG":"see ITEMS"}"#
        )
        let reply = try await self.body(.xml, to: form)
        #expect(reply.type == "application/xml")
        #expect(
            reply.text == "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                + "<RESPONSE><RETCODE>200010</RETCODE><RETMSG>see ITEMS</RETMSG><ITEMS>"
                + "<ITEM><RETCODE>000000</RETCODE><RETMSG>success</RETMSG></ITEM>"
                + "<ITEM><RETCODE>200003</RETCODE><RETMSG>FILE is not a whole JPEG</RETMSG></ITEM>"
                + "</ITEMS></RESPONSE>\n"
        )
    }

    // By `openssl enc -des-ede3-cbc` and `-des-ede3`, of the replies in the clear.
    @Test(
        .enabled(if: EmbeddedBackend.ReplyEncryption.isSupported),
        arguments: [
            (
                EmbeddedBackend.ReplyFormat.json, EmbeddedBackend.ReplyEncryption(.cbc, key: key),
                "Cqz4wqLDkuE8WpVXmvwwflSYhOo079bWsJbXpxN+GcCXMch+tWDi2w=="
            ),
            (
                .json, .init(.ecb, key: key + "opq", startVector: ""),
                "veEbZtzaVZ9TPa9Oy96RouqyL6JgZYwcpl1iuRCNJLE1l5rEWkuHkQ=="
            ),
            (.json, .init(.cbc, key: "0123456789abcdef"), "6qAErzvkZnfPomeLbA0CchEMIoE4hGonJ7TBm5z5+frhhe+u8QWHVw=="),
            (
                .xml, .init(.cbc, key: key),
                "7lYnHPxaKorKtlM0vxNtnQBXAQAgmw1NkX33Z6BT7gLdAMeW1WH/6DIojJbamEi+FH0fqdJX0vDrkBUw9LBZB7j7+BspDJTg6IAO"
                    + "ne/1HhpsBSsGsEGCp6nfFmZPbqdJDsE0efMrep928lrgAmjd5g=="
            ),
        ]
    )
    func `Are Base64 of 3DES when told to`(
        format: EmbeddedBackend.ReplyFormat,
        encryption: EmbeddedBackend.ReplyEncryption,
        base64: String
    ) async throws {
        let reply = try await self.body(format, encryption)
        #expect(reply.text == (format == .json ? "\"\(base64)\"" : base64))
        #expect(reply.type == (format == .json ? "application/json" : "text/plain"))
    }

    @Test(arguments: [
        EmbeddedBackend.ReplyEncryption(.cbc, key: "canary"), .init(.ecb, key: String(repeating: "k", count: 23)),
        .init(.cbc, key: key, startVector: "canary"),
    ])
    func `no key or start vector of a wrong length encrypts`(encryption: EmbeddedBackend.ReplyEncryption) async throws {
        let error = await #expect(throws: EmbeddedError.self) { _ = try await self.body(.json, encryption) }
        #expect(error?.code == .encryptionUnusable)
        #expect(error.map { "\($0)".contains("canary") } == false)
        var dumped = ""
        dump(encryption, to: &dumped)
        #expect(!dumped.contains("canary") && !"\(encryption)".contains("canary"))
    }
}
