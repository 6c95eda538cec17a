import Foundation
import TestSupport
import Testing

/// Layouts and replies of the business backend, by configuration alone.
@Suite(.serialized, .timeLimit(.minutes(5))) struct LayoutTests {
    /// What the backend is told to answer in, and what our configuration says of it; `KEY` stands for the file of the key.
    struct Reply: Sendable {
        var options: [String]
        var key = ""
        var lines: [String] = []

        static let json = Reply(options: [])
        static let xml = Reply(options: ["--reply-format", "xml"])
        static let chained = Reply(
            options: ["--reply-encryption", "3des-cbc", "--reply-key", "invented-key-of-24-bytes"]
                + ["--reply-iv", "76543210"],
            key: "invented-key-of-24-bytes\n",
            lines: ["reply: {encryption: 3des-cbc, key_file: KEY, iv: '76543210'}"]
        )
        static let blocks = Reply(
            options: ["--reply-format", "xml", "--reply-encryption", "3des-ecb", "--reply-key", "invented-16bytes"],
            key: "invented-16bytes",
            lines: ["reply: {encryption: 3des-ecb, key_file: KEY}"]
        )
    }

    @Test(arguments: [
        (["layout: single"], Reply.json, 4), (["body: octet-stream"], .blocks, 4),
        (["layout: application"], .chained, 2),
        // A request is full with two cards, so nothing depends on how fast they are read.
        (["layout: batch", "batch_max_cards: 2", "batch_wait: 1m"], .xml, 2),
    ])
    func `every layout and reply delivers each document once`(layout: [String], reply: Reply, count: Int) async throws {
        let tool = try Tool()
        let pairs = try tool.pairs(["R-1", "R-2"])
        let key = try tool.secretFile("reply-key", reply.key).path
        try await tool.servingBoth(
            with: RemoteConfiguration(more: layout + reply.lines.map { $0.replacing("KEY", with: key) }),
            backend: ["--token", "token-a"] + reply.options
        ) { file in
            let outcome = try await tool.run(["run", pairs.path, "--format", "json"] + file, ends: 0)
            #expect(try outcome.json().counts["delivered"] == 4)
            let again = try await tool.run(["run", pairs.path, "--format", "json"] + file)
            #expect(try again.json().counts["duplicate"] == 4)
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
