import CardModel
import Foundation
import Testing

@testable import CardCommand

@Suite("Mistakes in the configuration")
struct ConfigurationMistakeTests {
    /// A file, and the mistake it holds: code, key, line, and what the message says.
    struct Case: Sendable, CustomTestStringConvertible {
        var yaml: String
        var code: ReasonCode
        var key: String?
        var line: Int?
        var says: String

        init(_ yaml: String, _ code: ReasonCode, _ key: String?, _ line: Int?, _ says: String) {
            (self.yaml, self.code, self.key, self.line, self.says) = (yaml, code, key, line, says)
        }

        var testDescription: String { self.yaml }
    }

    private static let values: [Case] = [
        Case("imaging:\n  qualty: 1\n", .settingUnknown, "imaging.qualty", 2, "did you mean imaging.quality?"),
        Case(
            "imaging.quality: 2\n",
            .settingInvalid,
            "imaging.quality",
            1,
            "\"2\" cannot be used; write a number from 0 to 1"
        ),
        Case("imaging.max_edge: big\n", .settingInvalid, "imaging.max_edge", 1, "a whole number from 48"),
        Case("\nrun.patience: 5\n", .settingInvalid, "run.patience", 2, "a time such as 500ms"),
        Case("imaging.byte_budget: 3 cats\n", .settingInvalid, "imaging.byte_budget", 1, "a number of bytes"),
        Case("fetch.allow_http: 1\n", .settingInvalid, "fetch.allow_http", 1, "true or false"),
        Case("delivery.layout: pair\n", .settingInvalid, "delivery.layout", 1, "one of single, application, batch"),
        Case("imaging.quality: [1]\n", .settingInvalid, "imaging.quality", 1, "[1]"),
        Case("imaging.quality:\n", .settingInvalid, "imaging.quality", 1, "has no value"),
        Case("sources: [{a: b}]\n", .settingInvalid, "sources", 1, "something else than plain values"),
        Case("verification.url: ftp://x/\n", .settingInvalid, "verification.url", 1, "an address such as https"),
        Case("delivery.url: https://x:99999/\n", .settingInvalid, "delivery.url", 1, "an address such as https"),
        Case("delivery:\n  user_no: {{ user }}\n", .settingInvalid, "delivery.user_no", 2, "in quotes"),
        Case("? [a, b]\n: 1\n", .settingInvalid, nil, 1, "the file ("),
        Case("imaging:\n  quality: 1\n  quality: 1\n", .settingTwice, "quality", 2, "keep one"),
        Case("imaging: {quality: 1}\nimaging.quality: 1\n", .settingTwice, "imaging.quality", 2, "line 1 already"),
        Case("imaging: {quality: 1\n", .configurationUnreadable, nil, 2, "not valid YAML at line 2"),
        Case("just words\n", .configurationUnreadable, nil, nil, "no sections"),
        Case("vault.mode: none\n", .settingUnknown, "vault.mode", 1, "is no key"),
        Case("delivery.fields.busines_no: X\n", .settingUnknown, "delivery.fields.busines_no", 1, "business_no?"),
        Case(
            "verdict.severity.card_not_recognised: off\n",
            .settingInvalid,
            "verdict.severity.card_not_recognised",
            1,
            "reject, hold"
        ),
    ]

    private static let rules: [Case] = [
        Case("server.listen: foo\n", .settingInvalid, "server.listen", 1, "write it as 127.0.0.1:8080"),
        Case("server:\n  listen: 0.0.0.0:80\n", .settingConflict, "server.listen", 2, "server.tls.certificate"),
        Case("verification.url: http://v.example/\n", .settingConflict, "verification.url", 1, "can be read on"),
        Case(
            "delivery.url: http://10.0.0.7:8080/up\n",
            .settingConflict,
            "delivery.url",
            1,
            "use https, or allow it: allow_http.hosts: [\"10.0.0.7:8080\"]"
        ),
        Case(
            "delivery.url: http://b.example:81/\nallow_http.hosts: [b.example, 'b.example:80']\n",
            .settingInvalid,
            "allow_http.hosts",
            2,
            "\"b.example\" is no host and port"
        ),
        Case(
            "delivery.url: http://b.example:81/\nallow_http.hosts: [b.example:80, xb.example:81]\n",
            .settingConflict,
            "delivery.url",
            1,
            "use https"
        ),
        Case(
            "verification.url: http://API.FaceID.com./\nallow_http.hosts: [api.faceid.com.:80, api.faceid.com:80]\n",
            .settingConflict,
            "verification.url",
            1,
            "this service speaks https; use https"
        ),
        Case("fetch.ports: [443, x]\n", .settingInvalid, "fetch.ports", 1, "\"x\" is no port"),
        Case("fetch.hosts: ['https://a']\n", .settingInvalid, "fetch.hosts", 1, "is no host"),
        Case("fetch.allow_addresses: 10.0.0.0/33\n", .settingInvalid, "fetch.allow_addresses", 1, "no block"),
        Case("sources: [scans]\n", .settingInvalid, "sources", 1, "is not NAME=PATH"),
        Case("sources: [a=/x, a=/y]\n", .settingConflict, "sources", 1, "there twice"),
        Case("webhooks.secrets: whsec_abc\n", .settingInvalid, "webhooks.secrets", 1, "24 to 64 bytes"),
        Case("server.cors_origins: desk\n", .settingInvalid, "server.cors_origins", 1, "no origin"),
        Case("server.tls.key: /nowhere\n", .settingMissing, "server.tls.certificate", nil, "set both or none"),
        Case(
            "intake.business_no_from: folder:x\n",
            ReasonCode(rawValue: "business_no_from_invalid"),
            "intake.business_no_from",
            1,
            "folder:2"
        ),
        Case("retry: {base: 1m}\n", .settingConflict, "retry.base", 1, "1m must not be longer than retry.cap, 30s"),
        Case("delivery: {body: octet-stream, layout: batch}\n", .settingConflict, "delivery.body", 1, "multipart"),
        Case("delivery.fields: {file: TOKEN}\n", .settingConflict, "delivery.fields.file", 1, "its own name"),
        Case("delivery.retcode: {retryable: ['0']}\n", .settingConflict, "delivery.retcode.retryable", 1, "success"),
        Case(
            "delivery.retcode: {rejected: [http_403]}\n",
            .settingInvalid,
            "delivery.retcode.rejected",
            1,
            "only under delivery.retcode.token_expired"
        ),
        Case(
            "delivery.retcode.token_expired: [http_403, http_500]\n",
            .settingInvalid,
            "delivery.retcode.token_expired",
            1,
            "http_500 is no RETCODE"
        ),
        Case(
            "delivery.retcode.token_expired: [http_409]\n",
            .settingInvalid,
            "delivery.retcode.token_expired",
            1,
            "http_409 is no RETCODE"
        ),
        Case("delivery.retcode.success: []\n", .settingConflict, "delivery.retcode.success", 1, "no delivery"),
        Case(
            "delivery: {token: a, token_command: b}\n",
            .settingConflict,
            "delivery.token_command",
            1,
            "exclude each other"
        ),
        Case("delivery.token_file: /nowhere/t\n", .secretUnreadable, "delivery.token_file", 1, "cannot be read"),
        Case("delivery.reply.encryption: 3des-cbc\n", .settingMissing, "delivery.reply.key_file", nil, "3des-cbc"),
        Case("delivery.fields: {file: ''}\n", .settingInvalid, "delivery.fields.file", 1, "a text of one line"),
        Case(
            "delivery.fields: {file: CHANNEL, CHANNEL: app}\n",
            .settingConflict,
            "delivery.fields.CHANNEL",
            nil,
            "delivery.fields.file has this name, too"
        ),
        Case("delivery.batch_max_cards: 0\n", .settingInvalid, "delivery.batch_max_cards", 1, "from 1 to 1000"),
        Case("watch.done_marker: .json\n", .settingInvalid, "watch.done_marker", 1, "suffix such as .done"),
        Case("delivery.tls.ca_file: /nowhere\n", .settingInvalid, "delivery.tls.ca_file", 1, "certificates in PEM"),
    ]

    @Test(arguments: Self.values + Self.rules)
    func `A mistake is told with code, key, line and remedy`(_ mistake: Case) throws {
        let found = try ScratchHome().mistakes(mistake.yaml)
        let match = try #require(
            found.first { $0.error.code == mistake.code && $0.key == mistake.key },
            "\(found.map { ($0.key, $0.error) })"
        )
        #expect(match.line == mistake.line)
        #expect(match.error.kind == .configuration)
        #expect(match.error.message.text().contains(mistake.says), "\(match.error.message.text())")
        if let key = mistake.key { #expect(match.error.message.text().contains(key)) }
    }

    @Test func `All mistakes of all layers are told together`() throws {
        let found = try ScratchHome().mistakes(
            "imaging.quality: 2\nvault.mode: none\n",
            ["IDCARD_RUN_PATIENCE": "long", "IDCARD_LOG_LEVEL": ""]
        )
        #expect(
            found.map(\.key) == ["imaging.quality", "vault.mode", "run.patience", "log.level"]
        )
        #expect(found[2].error.message.text().contains("run.patience (IDCARD_RUN_PATIENCE): \"long\""))
    }

    @Test func `An address that cannot be used may hold a password, and is not repeated`() throws {
        let home = try ScratchHome()
        let yamls = [
            "delivery.url: https://u:canary@host/x\n", "verification.url: 'ftp://h/?key=canary'\n",
            "server.cors_origins: ['https://u:canary@host']\n",
        ]
        for yaml in yamls {
            let messages = try home.mistakes(yaml).map { $0.error.message.text() }
            #expect(messages.count == 1 && messages[0].contains("canary") == false, "\(messages)")
        }
    }

    @Test(arguments: [(0o644, ReasonCode.secretInsecure), (0o620, .secretInsecure), (0o600, nil)])
    func `A file of a secret must not be open to others`(_ mode: Int, _ code: ReasonCode?) throws {
        let home = try ScratchHome()
        let path = try home.file("token", "abc\n", mode: mode)
        #expect(try home.mistakes("delivery.token_file: \(path)\n").first?.error.code == code)
    }

    @Test func `Key and start vector of hidden replies are told together, with their lengths and not repeated`() throws
    {
        let home = try ScratchHome()
        let path = try home.file("reply.key", "canary")
        let found = try home.mistakes(
            "delivery.reply:\n  encryption: 3des-cbc\n  key_file: \(path)\n  iv: canary\n"
        )
        #expect(found.map(\.key) == ["delivery.reply.key_file", "delivery.reply.iv"])
        #expect(found.map(\.line) == [3, 4])
        let messages = found.map { $0.error.message.text() }
        #expect(messages.first?.contains("the key has 6 bytes") == true, "\(messages)")
        #expect(messages.allSatisfy { !$0.contains("canary") })
    }

    @Test(arguments: ["", "two\nlines\n"])
    func `A file that does not hold one secret is refused`(_ text: String) throws {
        let home = try ScratchHome()
        let path = try home.file("token", text)
        #expect(try home.mistakes("delivery.token_file: \(path)\n").first?.error.code == .secretUnreadable)
    }

    @Test(arguments: [
        ("echo canary; exit 3", "exit status 3"), ("echo canary >&2", "nothing that can be used in its first line"),
        ("echo; echo canary", "nothing that can be used in its first line"), ("kill -9 $$", "signal 9"),
        ("printf 'canary\\001out'", "nothing that can be used in its first line"),
        ("canary-no-such-program", "exit status 127"), ("head -c 100000 /dev/zero", "wrote more than 64KiB"),
    ])
    func `A command that gives no secret is told without its output`(_ text: String, _ says: String) async {
        let command = SecretCommand(key: "delivery.token_command", expected: "the TOKEN", text: Redacted(text))
        let error = await #expect(throws: CodedError.self) { _ = try await command.firstLine() }
        #expect(error?.code == .secretUnreadable)
        #expect(error?.message.text().contains(says) == true, "\(String(describing: error))")
        #expect(error?.message.text().contains("canary") == false)
    }

    @Test(.timeLimit(.minutes(5))) func `A command that hangs is ended`() async {
        let command = SecretCommand(
            key: "vault.key_command",
            expected: "keys",
            text: Redacted("exec tail -f /dev/null"),
            timeout: .milliseconds(50)
        )
        let error = await #expect(throws: CodedError.self) { _ = try await command.run() }
        #expect(error?.message.text().contains("took longer than 50ms") == true)
    }
}
