import Foundation
import TestSupport
import Testing

@Suite(
    "Layouts and replies of the business backend, by configuration alone",
    .serialized,
    .timeLimit(.minutes(5))
)
struct LayoutTests {
    /// What the backend is told to answer in, and what our configuration says of it.
    enum Reply: CaseIterable {
        case json, xml, chained, blocks

        var options: [String] {
            switch self {
            case .json: []
            case .xml: ["--reply-format", "xml"]
            case .chained: ["--reply-encryption", "3des-cbc", "--reply-key", Self.longKey, "--reply-iv", "76543210"]
            case .blocks:
                ["--reply-format", "xml", "--reply-encryption", "3des-ecb", "--reply-key", Self.shortKey]
            }
        }

        func lines(for tool: Tool) throws -> [String] {
            switch self {
            case .json, .xml: return []
            case .chained:
                let file = try tool.secretFile("reply-key", Self.longKey + "\n").path
                return ["reply: {encryption: 3des-cbc, key_file: \(file), iv: '76543210'}"]
            case .blocks:
                let file = try tool.secretFile("reply-key", Self.shortKey).path
                return ["reply: {encryption: 3des-ecb, key_file: \(file)}"]
            }
        }

        private static let longKey = "invented-key-of-24-bytes"
        private static let shortKey = "invented-16bytes"
    }

    private static let fronts = "IDCARD_FRONT_APP"

    private func configuration(_ layout: String, _ reply: Reply, for tool: Tool) throws -> RemoteConfiguration {
        var configuration = RemoteConfiguration()
        configuration.delivery += ["layout: \(layout)"] + (try reply.lines(for: tool))
        if layout == "batch" {
            // A request is full with two cards, so nothing depends on how fast they are read.
            configuration.delivery += ["batch_max_cards: 2", "batch_wait: 1m"]
        }
        return configuration
    }

    @Test(
        "Two pairs are delivered in every layout and every form of reply, each document once",
        arguments: ["single", "application", "batch"],
        Reply.allCases
    )
    func delivered(layout: String, reply: Reply) async throws {
        let tool = try Tool()
        let pairs = try tool.pairs(["R-1", "R-2"])
        try await tool.servingBoth(
            with: self.configuration(layout, reply, for: tool),
            backend: ["--token", "token-a"] + reply.options
        ) { file in
            let outcome = try await tool.run(["run", pairs.path, "--format", "json"] + file, ends: 0)
            #expect(try outcome.json().counts["delivered"] == 4)
            let again = try await tool.run(["run", pairs.path, "--format", "json"] + file)
            #expect(try again.json().counts["duplicate"] == 4)
        }
        let ledger = try tool.ledger()
        #expect(Set(ledger.map { "\($0.businessNo) \($0.doctype)" }).count == 4 && ledger.count == 4)
        #expect(ledger.allSatisfy { !$0.outOfOrder })
        #expect(try tool.refusals().isEmpty)
        let requests = Dictionary(grouping: ledger, by: \.idempotencyKey).values
        switch layout {
        case "single": #expect(requests.count == 4)
        case "application":
            #expect(requests.count == 2)
            #expect(requests.allSatisfy { Set($0.map(\.businessNo)).count == 1 && $0.count == 2 })
            #expect(requests.allSatisfy { $0.map(\.position) == [1, 2] && $0.first?.doctype == Self.fronts })
        default:
            // The backs go once their fronts are delivered.
            #expect(requests.count == 2)
            #expect(ledger.map(\.position) == [1, 2, 1, 2])
            #expect(requests.allSatisfy { Set($0.map(\.doctype)).count == 1 })
        }
    }

    @Test("An image alone, with the texts in headers, is delivered")
    func octetStream() async throws {
        let tool = try Tool()
        let pair = try tool.pairs()
        var configuration = RemoteConfiguration()
        configuration.delivery += ["body: octet-stream"]
        try await tool.servingBoth(with: configuration) { file in
            try await tool.run(["run", pair.path] + file, ends: 0)
        }
        let ledger = try tool.ledger()
        #expect(ledger.map(\.doctype) == ["IDCARD_FRONT_APP", "IDCARD_BACK_APP"])
        #expect(ledger.allSatisfy { $0.businessNo == "R-1" })
        for line in ledger {
            let image = try Data(contentsOf: tool.documents.appending(path: line.file))
            #expect(image.starts(with: [0xFF, 0xD8]) && image.suffix(2) == Data([0xFF, 0xD9]))
        }
    }

    @Test("3DES that this machine forbids is found before anything is sent")
    func forbiddenCipher() async throws {
        let tool = try Tool()
        let pair = try tool.pairs()
        var configuration = RemoteConfiguration()
        let key = try tool.secretFile("reply.key", "canary-key-of-24-bytes-x").path
        configuration.delivery.append("reply: {encryption: 3des-cbc, key_file: \(key)}")
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

    @Test("Replies that the key does not open leave nothing delivered and nothing sent twice")
    func wrongReplyKey() async throws {
        let tool = try Tool()
        let pair = try tool.pairs()
        var configuration = RemoteConfiguration()
        let key = try tool.secretFile("reply.key", "canary-key-of-24-bytes-x").path
        // A single card uses no attempts up while the endpoint takes no other one.
        configuration.delivery += ["on_unknown: hold", "reply: {encryption: 3des-cbc, key_file: \(key)}"]
        try await tool.servingBoth(with: configuration, backend: ["--token", "token-a"] + Reply.chained.options) {
            file in
            let outcome = try await tool.run(["run", pair.path, "--format", "json"] + file, ends: 1)
            let report = try outcome.json()
            #expect(report.counts["held"] == 1 && report.counts["delivered"] == 0)
            let held = try #require(report.cards.first { $0.state == "held" })
            #expect(
                held.reason == "outcome_unknown"
                    && held.message?.contains("the configured 3DES makes no sense of") == true
            )
            #expect(!(outcome.output + outcome.errors).contains("canary"))
        }
        #expect(try tool.ledger().map(\.doctype) == [Self.fronts])
    }
}
