import Foundation
import TestSupport
import Testing

/// Layouts and replies of the business backend, by configuration alone.
@Suite(.serialized, .timeLimit(.minutes(5))) struct LayoutTests {
    /// What a backend answers each form, and what our configuration says of it; `KEY` stands for the file of the key.
    struct Reply: Sendable {
        var type: String
        var body: String
        var key = ""
        var lines: [String] = []

        /// The answer to a form of two cards.
        static let xml = Reply(
            type: "application/xml",
            body: """
                <?xml version="1.0" encoding="UTF-8"?>
                <RESPONSE><RETCODE>000000</RETCODE><RETMSG>success</RETMSG><ITEMS>\
                <ITEM><RETCODE>000000</RETCODE><RETMSG>success</RETMSG></ITEM>\
                <ITEM><RETCODE>000000</RETCODE><RETMSG>success</RETMSG></ITEM></ITEMS></RESPONSE>
                """
        )
        /// By `openssl enc -des-ede3-cbc`, of the JSON that says the same.
        static let chained = Reply(
            type: "application/json",
            body: #""s2UzKF/inIwEmrqGi5699EwFOksj/upEciEPrFRjUkDJDnXBu7KKtMVbIlKKXBASXqvwS9cNGSdmWWZJATGaKd84/D5gVPf6"#
                + "sokxb6YcyoLipw/Dm/i1+B55UOH7VWzqOIPg9MZMoBOqiELzn+vd2Fhhmgs3tiXLJpAIg7BA0xVsiHX2EUaKrA==\"",
            key: "invented-key-of-24-bytes\n",
            lines: ["reply: {encryption: 3des-cbc, key_file: KEY, iv: '76543210'}"]
        )
        /// By `openssl enc -des-ede3`, of the XML that says the same of one card.
        static let blocks = Reply(
            type: "text/plain",
            body: "ZeJh7wmKRZiKisJB83pprKiAijwOYL8brL/C+NFkMmwj3tIIjzJcYXpv8IbyHj4ApRaMbCBQJGHaI4E3L05TlUd0ONC2tMZVn+P8"
                + "N+hl7VicMMUIiMJ6Xp6i8f1POpUKrUpynPIf0lERpizt7QeFSg==",
            key: "invented-16bytes",
            lines: ["reply: {encryption: 3des-ecb, key_file: KEY}"]
        )
    }

    // A request is full with two cards, so nothing depends on how fast they are read.
    private static let batch = ["layout: batch", "batch_max_cards: 2", "batch_wait: 1m"]

    /// Delivers two pairs, and again.
    private func deliver(_ tool: Tool, _ photos: URL, _ file: [String]) async throws {
        let outcome = try await tool.run(["run", photos.path, "--format", "json"] + file, ends: 0)
        #expect(try outcome.json().counts["delivered"] == 4)
        let again = try await tool.run(["run", photos.path, "--format", "json"] + file)
        #expect(try again.json().counts["duplicate"] == 4)
    }

    @Test(arguments: [
        (["body: octet-stream"], Reply.blocks, 4), (["layout: application"], .chained, 2), (batch, .xml, 2),
    ])
    func `every reply is understood`(layout: [String], reply: Reply, count: Int) async throws {
        let tool = try Tool()
        let pairs = try tool.pairs(["R-1", "R-2"])
        let key = try tool.secretFile("reply-key", reply.key).path
        let backend = ScriptedBackend { _ in
            FaultReply(headers: ["Content-Type: \(reply.type)"], body: reply.body)
        }
        let more = layout + reply.lines.map { $0.replacing("KEY", with: key) }
        try await tool.serving(MarkVerifier(), backend, RemoteConfiguration(more: more)) { file in
            try await self.deliver(tool, pairs, file)
        }
        #expect(backend.requests.count == count)
        #expect(Set(backend.requests.map { $0.header("Idempotency-Key") }).count == count)
    }

    @Test(arguments: [
        (["layout: single"], 4), (["body: octet-stream"], 4), (["layout: application"], 2), (batch, 2),
    ])
    func `every layout delivers each document once`(layout: [String], count: Int) async throws {
        let tool = try Tool()
        let pairs = try tool.pairs(["R-1", "R-2"])
        try await tool.servingBoth(with: RemoteConfiguration(more: layout)) { file in
            try await self.deliver(tool, pairs, file)
        }
        try tool.expectAllOnce(4)
        let ledger = try tool.ledger()
        for line in ledger {
            let image = try Data(contentsOf: tool.documents.appending(path: line.file))
            #expect(image.starts(with: [0xFF, 0xD8]) && image.suffix(2) == Data([0xFF, 0xD9]))
        }
        let requests = Dictionary(grouping: ledger, by: \.idempotencyKey).values
        #expect(requests.count == count)
        guard count == 2 else { return }
        #expect(requests.allSatisfy { $0.map(\.position) == [1, 2] })
        let isBatch = layout.count > 1
        // The backs of a batch go once their fronts are delivered.
        #expect(requests.allSatisfy { Set($0.map(\.doctype)).count == (isBatch ? 1 : 2) })
        #expect(requests.allSatisfy { Set($0.map(\.businessNo)).count == (isBatch ? 2 : 1) })
        #expect(isBatch || requests.allSatisfy { $0.first?.doctype == "IDCARD_FRONT_APP" })
    }

    @Test func `3DES that this machine forbids is found before anything is sent`() async throws {
        let tool = try Tool()
        let pair = try tool.pairs()
        let key = try tool.secretFile("reply.key", "canary-key-of-24-bytes-x").path
        let configuration = RemoteConfiguration(more: ["reply: {encryption: 3des-cbc, key_file: \(key)}"])
        // Of OpenSSL's providers the one that is active has no ciphers.
        let text = "openssl_conf = a\n[a]\nproviders = b\n[b]\nbase = c\n[c]\nactivate = 1\n"
        let settings = ["OPENSSL_CONF": try tool.secretFile("openssl.cnf", text).path]
        try await tool.servingBoth(with: configuration) { file in
            for command in [["run", pair.path], ["config", "check"]] {
                let outcome = try await tool.run(command + file, settings, ends: 78)
                let said = outcome.errors + outcome.output
                #expect(said.contains("delivery.reply.encryption"), "\(said)")
            }
        }
        #expect(try tool.ledger().isEmpty)
    }
}
