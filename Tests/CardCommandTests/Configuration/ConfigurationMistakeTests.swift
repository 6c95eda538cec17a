import CardModel
import Foundation
import TestSupport
import Testing

@testable import CardCommand

@Suite struct ConfigurationMistakeTests {
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

    /// Mistakes of the key with which a file begins, and what is said of them.
    private static let ofFirstKey: KeyValuePairs<ReasonCode, KeyValuePairs<String, String>> = [
        .settingInvalid: [
            "imaging.quality: 2": "cannot use \"2\"; write a number from 0 to 1",
            "imaging.max_edge: big": "a whole number from 48",
            "imaging.byte_budget: 3 cats": "a number of bytes",
            "fetch.allow_http: 1": "true or false",
            "delivery.layout: pair": "one of single, application, batch",
            "imaging.quality: [1]": "[1]",
            "imaging.quality:": "has no value",
            "sources: [{a: b}]": "not a plain value",
            "verification.url: ftp://x/": "an address such as https",
            "delivery.url: https://x:99999/": "an address such as https",
            "verdict.severity.card_not_recognised: off": "reject, hold",
            "server.listen: foo": "write it as 127.0.0.1:8080",
            "allow_http.hosts: [b.example, 'b.example:80']\ndelivery.url: http://b.example:81/":
                "\"b.example\" is not a host with a port",
            "fetch.ports: [443, x]": "\"x\" is not a port",
            "fetch.hosts: ['https://a']": "is not a host",
            "fetch.allow_addresses: 10.0.0.0/33": "not a block",
            "sources: [scans]": "does not have the form NAME=PATH",
            "webhooks.secrets: whsec_abc": "24 to 64 bytes",
            "server.cors_origins: desk": "not an origin",
            "delivery.retcode.rejected: [http_403]": "only under delivery.retcode.token_expired",
            "delivery.retcode.token_expired: [http_403, http_500]": "http_500 is not a RETCODE",
            "delivery.retcode.token_expired: [http_409]": "http_409 is not a RETCODE",
            // The backend may have stored the form before it redirects.
            "delivery.retcode.token_expired: [http_301]": "http_301 is not a RETCODE",
            "delivery.fields.file: ''": "one line of text",
            "delivery.batch_max_cards: 0": "from 1 to 1000",
            "watch.done_marker: .json": "suffix such as .done",
            "watch.done_marker: .\(String(repeating: "x", count: 64))": "at most 64 bytes",
            "delivery.tls.ca_file: /nowhere": "certificates in PEM",
            "delivery.business_type: “YX”": "cannot use \"“YX”\"; write the value without the quotes around it",
            "delivery.reply.code: 「code」": "without the quotes around it",
            "delivery.reply.message: '\"msg\"'": "without the quotes around it",
            "delivery.doctype.front: ＂01＂": "without the quotes around it",
            "delivery.doctype.back: ０２": "cannot use \"０２\"; write digits as 0 to 9",
            "imaging.max_edge: １０００": "cannot use \"１０００\"; write digits as 0 to 9",
            "run.patience: ٥s": "write digits as 0 to 9",
            "delivery.layout: ‘single’": "without the quotes around it",
            "delivery.retcode.success: [000000，0000]": "cannot use \"[000000，0000]\"; write commas (,) between",
            "delivery.retcode.success: 000000、0000": "write commas (,) between the entries instead of 、",
            "delivery.retcode.rejected: [“E1”, E2]": "without the quotes around it",
            "delivery.retcode.retryable: [E１]": "write digits as 0 to 9",
            "delivery.retcode.token_expired: [\"E1\\u200b\"]": "the invisible character U+200B",
            "delivery.business_type: \"\\u00a0YX\"": "the invisible character U+A0",
            "fetch.ports: [443；8443]": "instead of ；",
            "fetch.hosts: [a.example，b.example]": "instead of ，",
            "review.four_eyes: accept，reject": "instead of ，",
            "delivery.fields.CHANNEL: “app”": "cannot use \"“app”\"; write the value without",
            "delivery.url: “https://b.example/up”": "without the quotes around it",
            "delivery.user_no: “10086”": "cannot use its value; write the value without the quotes around it",
            "delivery.user_no: １００８６": "write digits as 0 to 9",
            "delivery.token: ”canary”": "cannot use its value; write the value without the quotes around it",
        ],
        .settingUnknown: ["vault.mode: none": "is not a key", "delivery.fields.busines_no: X": "business_no?"],
        .settingConflict: [
            "verification.url: http://v.example/": "can be read on",
            "delivery.url: http://10.0.0.7:8080/up":
                "or allow http to that other machine: allow_http.hosts: [\"10.0.0.7:8080\"]",
            "delivery.url: http://b.example:81/\nallow_http.hosts: [b.example:80, xb.example:81]": "use https",
            "verification.url: http://API.FaceID.com./\nallow_http.hosts: [api.faceid.com.:80, api.faceid.com:80]":
                "use https, which this service supports",
            "sources: [a=/x, a=/y]": "two sources have the name a",
            "retry.base: 1m": "1m is longer than retry.cap (30s)",
            "delivery.body: octet-stream\ndelivery.layout: batch": "multipart",
            "delivery.fields.file: TOKEN": "its own name",
            "delivery.retcode.retryable: ['0']": "success",
            "delivery.retcode.success: []": "no delivery",
            "delivery.token_command: b\ndelivery.token: a": "only one of these can be set",
        ],
    ]

    private static let others: [Case] = [
        Case("imaging:\n  qualty: 1", .settingUnknown, "imaging.qualty", 2, "did you mean imaging.quality?"),
        Case("\nrun.patience: 5", .settingInvalid, "run.patience", 2, "a time such as 500ms"),
        Case("delivery:\n  user_no: {{ user }}", .settingInvalid, "delivery.user_no", 2, "put the text in quotes"),
        Case("? [a, b]\n: 1", .settingInvalid, nil, 1, "line 1: there are braces"),
        Case("imaging:\n  quality: 1\n  quality: 1", .settingTwice, "quality", 2, "keep one"),
        Case("imaging: {quality: 1}\nimaging.quality: 1", .settingTwice, "imaging.quality", 2, "already set in line 1"),
        Case("imaging: {quality: 1\n", .configurationUnreadable, nil, 2, "invalid YAML at line 2"),
        Case("just words", .configurationUnreadable, nil, nil, "no sections"),
        Case("server:\n  listen: 0.0.0.0:80", .settingConflict, "server.listen", 2, "server.tls.certificate"),
        Case("server.tls.key: /nowhere", .settingMissing, "server.tls.certificate", nil, "or neither"),
        Case("delivery.reply.encryption: 3des-cbc", .settingMissing, "delivery.reply.key_file", nil, "3des-cbc"),
        Case(
            "delivery.fields: {file: CHANNEL, CHANNEL: app}",
            .settingConflict,
            "delivery.fields.CHANNEL",
            nil,
            "delivery.fields.file has the same name"
        ),
        Case(
            "intake.business_no_from: folder:x",
            ReasonCode(rawValue: "business_no_from_invalid"),
            "intake.business_no_from",
            1,
            "folder:2"
        ),
        Case(
            "delivery.token_file: /nowhere/t",
            .secretUnreadable,
            "delivery.token_file",
            1,
            "cannot read the file: No such"
        ),
    ]

    private static let cases = ofFirstKey.flatMap { code, rows in
        rows.map { yaml, says in Case(yaml, code, String(yaml.prefix { $0 != ":" }), 1, says) }
    }

    @Test(arguments: Self.cases + Self.others)
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

    @Test func `Names of form fields and files, patterns and commands may hold what looks like a slip`() throws {
        let yaml = """
            delivery.filename.front: “正面０１”.jpg
            delivery.filename.back: “反面”
            delivery.fields.file: 「照片」
            watch.ignore: ['“*”，、']
            watch.done_marker: .完成１
            watch.folders: [/扫描，１/「甲」]
            sources: ['scans=/扫描，１']
            intake.business_no_from: 'pattern:^([０-９]+)，'
            delivery.token_command: '"/bin/echo" "a"'
            delivery.fields.REMARK: 甲，乙；丙

            """
        #expect(try ScratchHome().mistakes(yaml).map { $0.error.message.text() } == [])
    }

    @Test func `A slip in a variable is told as one in the file`() throws {
        let variables = ["IDCARD_DELIVERY_RETCODE_SUCCESS": "“000000,0000”", "IDCARD_DELIVERY_USER_NO": "'canary'"]
        let messages = try ScratchHome().mistakes(nil, variables).map { $0.error.message.text() }
        #expect(messages.count == 2 && messages.allSatisfy { $0.contains("without the quotes around it") })
        #expect(messages.allSatisfy { !$0.contains("canary") })
    }

    @Test func `All mistakes of all layers are told together`() throws {
        let found = try ScratchHome().mistakes(
            "imaging.quality: 2\nvault.mode: none\n",
            ["IDCARD_RUN_PATIENCE": "long", "IDCARD_LOG_LEVEL": ""]
        )
        #expect(found.map(\.key) == ["imaging.quality", "vault.mode", "run.patience", "log.level"])
        #expect(found[2].error.message.text().contains("run.patience (IDCARD_RUN_PATIENCE): cannot use \"long\""))
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

    @Test func `key and start vector of hidden replies are told together, with their lengths, unrepeated`() throws {
        let home = try ScratchHome()
        let path = try home.file("reply.key", "canary")
        let found = try home.mistakes("delivery.reply:\n  encryption: 3des-cbc\n  key_file: \(path)\n  iv: canary\n")
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
        ("echo canary; exit 3", "exit status 3"),
        ("echo canary >&2", "first line that the command wrote is not a secret"),
        ("echo; echo canary", "first line that the command wrote is not a secret"), ("kill -9 $$", "signal 9"),
        ("printf 'canary\\001out'", "first line that the command wrote is not a secret"),
        ("canary-no-such-program", "exit status 127"), ("head -c 100000 /dev/zero", "wrote more than 65,536 bytes"),
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
        #expect(error?.message.text().contains("took longer than 50 milliseconds") == true)
    }
}
