import Foundation
import IDCardTesting
import Testing

@Suite("Mistakes in the configuration, as run and config check tell them", .timeLimit(.minutes(Sanitizer.minutes(5))))
struct ConfigurationMistakeTests {
    /// Lines that are wrong, and the words by which a user finds and mends them.
    struct Mistake: Sendable, CustomTestStringConvertible {
        var name: String
        var verification: [String] = []
        /// `HOME` stands for the tool's home.
        var delivery: [String] = []
        var token = "token: canary-token"
        var others: [String] = []
        var words: [String]

        var testDescription: String { self.name }
    }

    private static let trust: [Mistake] = [
        Mistake(
            name: "authority and pin",
            delivery: ["tls: {ca_file: HOME/pem, pinned_certificates: [HOME/pem]}"],
            words: ["delivery.tls.ca_file", "delivery.tls.pinned_certificates", "exclude each other"]
        ),
        Mistake(
            name: "insecure with an authority",
            verification: ["tls: {insecure: true, insecure_force: true, ca_file: HOME/pem}"],
            words: ["verification.tls.insecure", "verification.tls.ca_file", "remove one"]
        ),
        Mistake(
            name: "insecure to another machine",
            delivery: ["tls: {insecure: true}"],
            words: ["delivery.tls.insecure is refused", "backend.example", "delivery.tls.ca_file"]
        ),
        Mistake(
            name: "certificate without key",
            delivery: ["tls: {client_certificate: HOME/pem}"],
            words: ["delivery.tls.client_certificate", "set delivery.tls.client_key"]
        ),
        Mistake(
            name: "no such authority",
            delivery: ["tls: {ca_file: HOME/none}"],
            words: ["delivery.tls.ca_file", "HOME/none", "No such file"]
        ),
        Mistake(
            name: "a folder as authority",
            delivery: ["tls: {ca_file: HOME}"],
            words: ["delivery.tls.ca_file", "not a regular file"]
        ),
        Mistake(
            name: "an authority that is not PEM",
            delivery: ["tls: {ca_file: HOME/text}"],
            words: ["delivery.tls.ca_file", "HOME/text", "no certificate in PEM"]
        ),
        Mistake(
            name: "an authority whose PEM holds nothing",
            verification: ["tls: {ca_file: HOME/hollow}"],
            words: ["verification.tls", "HOME/hollow", "PEM"]
        ),
        Mistake(
            name: "a key that belongs to nobody",
            delivery: ["tls: {client_certificate: HOME/pem, client_key: HOME/text}"],
            words: ["delivery.tls.client_key", "HOME/text", "private key in PEM"]
        ),
    ]

    private static let addresses: [Mistake] = [
        "https://user:canary-proxy@proxy.example:3128", "http://user:canary-proxy@proxy.example",
        "user:canary-proxy@proxy.example:3128", "http://:canary-proxy@proxy.example:3128",
        "http://user:canary-proxy@proxy.example:3128/path",
    ].map { address in
        Mistake(
            name: "proxy \(address)",
            verification: ["proxy: '\(address)'"],
            words: ["verification.proxy", "http://host:3128", "special characters as %XX"]
        )
    }

    private static let bodies: [Mistake] =
        ["application", "batch"].map { layout in
            Mistake(
                name: "octet-stream with \(layout)",
                delivery: ["body: octet-stream", "layout: \(layout)"],
                words: ["delivery.body", "delivery.layout \(layout)", "set delivery.layout to single"]
            )
        } + [
            Mistake(
                name: "one name for two fields",
                delivery: ["fields: {token: NO, user_no: NO}"],
                words: ["delivery.fields.token", "delivery.fields.user_no", "its own name"]
            ),
            Mistake(
                name: "one code in two lists",
                delivery: ["retcode: {success: ['1'], retryable: ['1']}"],
                words: ["RETCODE 1", "delivery.retcode.success", "delivery.retcode.retryable"]
            ),
            Mistake(
                name: "a batch that waits longer than the run",
                delivery: ["layout: batch", "batch_wait: 1h"],
                words: ["delivery.batch_wait (1h)", "run.patience"]
            ),
            Mistake(
                name: "a dialect that there is not",
                verification: ["dialect: faceid-v2"],
                words: ["verification.dialect", "faceid-v2", "faceid-v1, facepp-v1, faceid-v3"]
            ),
            Mistake(
                name: "a severity that there is not",
                others: ["verdict: {severity: {under_age: maybe}}"],
                words: ["verdict.severity.under_age", "maybe", "reject, hold, warn, off"]
            ),
        ]

    private static let secrets: [Mistake] = [
        Mistake(
            name: "no reply key",
            delivery: ["reply: {encryption: 3des-cbc}"],
            words: ["delivery.reply.encryption is 3des-cbc", "set delivery.reply.key_file or delivery.reply.key"]
        ),
        Mistake(
            name: "a reply key of 15 bytes",
            delivery: ["reply: {encryption: 3des-ecb, key: canary-key-15by}"],
            words: ["delivery.reply.key", "15 bytes", "16, or 24 and more"]
        ),
        Mistake(
            name: "a file with a reply key of 20 bytes",
            delivery: ["reply: {encryption: 3des-cbc, key_file: HOME/key}"],
            words: ["delivery.reply.key_file", "20 bytes", "16, or 24 and more"]
        ),
        Mistake(
            name: "two reply keys",
            delivery: ["reply: {encryption: 3des-cbc, key: canary-key-of-24-bytes-x, key_file: HOME/key}"],
            words: ["delivery.reply.key", "delivery.reply.key_file", "keep one"]
        ),
        Mistake(
            name: "a start vector of 5 bytes",
            delivery: ["reply: {encryption: 3des-cbc, key: canary-key-of-24-bytes-x, iv: short}"],
            words: ["delivery.reply.iv", "exactly 8 bytes"]
        ),
        Mistake(
            name: "a TOKEN and a file",
            delivery: ["token_file: HOME/token"],
            words: ["delivery.token (from file) and delivery.token_file (from file)", "keep one"]
        ),
        Mistake(
            name: "a TOKEN and a command",
            delivery: ["token_command: echo canary-command"],
            words: ["delivery.token ", "delivery.token_command", "keep one"]
        ),
        Mistake(
            name: "a TOKEN file that others may read",
            token: "token_file: HOME/open",
            words: ["delivery.token_file", "mode 0644", "chmod 600 HOME/open"]
        ),
        Mistake(
            name: "a TOKEN file that is not there",
            token: "token_file: HOME/none",
            words: ["delivery.token_file", "HOME/none", "No such file"]
        ),
    ]

    @Test(
        "A mistake ends run and config check with 78, names key and remedy, and shows no secret",
        arguments: trust + addresses + bodies + secrets
    )
    func told(_ mistake: Mistake) async throws {
        let tool = try Tool()
        try self.writeFiles(for: tool)
        let home = { (text: String) in text.replacingOccurrences(of: "HOME", with: tool.home.path) }
        var configuration = RemoteConfiguration()
        configuration.verification =
            ["api_key: canary-key", "api_secret: canary-secret"] + mistake.verification.map(home)
        configuration.delivery = ["user_no: canary-user", home(mistake.token)] + mistake.delivery.map(home)
        configuration.others = mistake.others
        let file = try configuration.write(
            for: tool,
            verifier: "https://verifier.example/",
            backend: "https://backend.example/upload"
        )
        let run = try await tool.run(["run", tool.home.appending(path: "empty").path] + file)
        let check = try await tool.run(["config", "check"] + file)
        #expect(run.status == 78, "\(run.errors)")
        #expect(check.status == 78, "\(check.output)")
        #expect(run.output.isEmpty)
        for word in mistake.words.map(home) {
            #expect(run.errors.contains(word), "\(word): \(run.errors)")
            #expect(check.output.contains(word), "\(word): \(check.output)")
        }
        #expect(!(run.errors + check.output + check.errors).contains("canary"))
    }

    private func writeFiles(for tool: Tool) throws {
        let empty = tool.home.appending(path: "empty")
        try FileManager.default.createDirectory(at: empty, withIntermediateDirectories: true)
        _ = try tool.secretFile("pem", SampleAuthority.certificate)
        _ = try tool.secretFile("hollow", PEMText.certificate)
        _ = try tool.secretFile("text", "canary, no PEM at all\n")
        _ = try tool.secretFile("key", "canary-key-of-20-byt")
        _ = try tool.secretFile("token", "canary-token")
        _ = try tool.secretFile("open", "canary-token", mode: 0o644)
    }
}
