import CardEngine
import CardImaging
import CardInput
import CardModel
import CardRemote
import CardServer
import Foundation
import Logging
import TestSupport
import Testing

@testable import CardCommand

@Suite struct LoadedConfigurationTests {
    private let home: ScratchHome

    init() throws { self.home = try ScratchHome() }

    private static let remotes = """
        verification: {url: "https://v.example/", api_key: canary-key, api_secret: canary-secret}
        delivery: {url: "https://b.example/up?key=canary-query", token: canary-token, user_no: canary-user}

        """

    @Test func `Options stand over variables, variables over the file, the file over defaults`() throws {
        let yaml = """
            imaging:
              quality: 0.6
              max_edge: 1000
            run.patience: 5m
            """
        let loaded = try self.home.load(
            yaml,
            ["IDCARD_IMAGING_MAX_EDGE": "1200", "IDCARD_SANDBOX_PATH": "/a"],
            options: ["sandbox.path": "/b"]
        )
        #expect(loaded.configuration.imaging.quality == 0.6)
        #expect(loaded.configuration.imaging.maxEdge == 1200)
        #expect(loaded.configuration.sandboxPath == "/b")
        #expect(loaded.configuration.engine.patience == .seconds(300))
        #expect(loaded.sources["imaging.quality"] == .file(line: 2))
        #expect(loaded.sources["imaging.max_edge"] == .variable("IDCARD_IMAGING_MAX_EDGE"))
        #expect(loaded.sources["sandbox.path"] == .option)
        #expect(loaded.sources["imaging.min_quality"] == nil)
    }

    @Test(.timeLimit(.minutes(5))) func `A file that comes through a pipe is read to its end`() throws {
        let pipe = Pipe()
        Thread.detachNewThread {
            // More than a pipe holds: whoever reads has to wait for the rest.
            let lines = String(repeating: "# of the program that writes it\n", count: 8_000) + "run.patience: 5m\n"
            try? pipe.fileHandleForWriting.write(contentsOf: Data(lines.utf8))
            try? pipe.fileHandleForWriting.close()
        }
        let file = try ConfigurationFile(path: "/dev/fd/\(pipe.fileHandleForReading.fileDescriptor)")
        #expect(file.settings.map(\.name) == ["run.patience"])
    }

    @Test(.timeLimit(.minutes(1))) func `A pipe into which nobody writes is not waited for for ever`() throws {
        let pipe = Pipe()
        // Else it is closed, and the pipe at its end.
        defer { try? pipe.fileHandleForWriting.close() }
        let path = "/dev/fd/\(pipe.fileHandleForReading.fileDescriptor)"
        let error = try #require(throws: LimitedText.Refusal.self) {
            try LimitedText.read(path, upTo: 10, patience: .milliseconds(20)) { _ in }
        }
        #expect(LimitedText.reason(error).text().hasSuffix("no program wrote into it for 20 milliseconds"))
    }

    @Test func `Origins are compared as browsers write them`() async throws {
        let yaml = "server.cors_origins: [HTTPS://Desk.Example, 'https://a.example:443', 'http://b.example:8080']\n"
        let origins = await (try self.home.load(yaml)).configuration.serving().server.origins
        #expect(origins == ["https://desk.example", "https://a.example", "http://b.example:8080"])
        for odd in ["https://u@desk.example", "https://desk.example#x", "https://desk.example/"] {
            #expect(try self.home.mistakes("server.cors_origins: ['\(odd)']\n").map(\.key) == ["server.cors_origins"])
        }
    }

    @Test func `Values of every type reach their settings`() throws {
        let yaml =
            Self.remotes + """
                verification.dialect: facepp-v1
                verification.concurrency: 7
                delivery.rate: 2.5
                delivery.layout: batch
                delivery.retcode: {success: [000000, '0'], retryable: "7, 8"}
                delivery.fields.CHANNEL: app
                verdict.severity: {under_age: hold, legality_unavailable: accept}
                sandbox.intake_free_space: 1 GiB
                fetch.allow_http: yes
                watch.folders: [~/in]
                log: {level: debug, format: json}
                """
        let configuration = try self.home.load(yaml, requiringRemotes: true).configuration
        let verification = try #require(configuration.verification)
        let delivery = try #require(configuration.delivery)
        #expect(verification.dialect == .faceppv1)
        #expect(verification.endpoint.concurrency == 7 && configuration.engine.verification.concurrency == 7)
        #expect(configuration.engine.delivery.rate == 2.5)
        #expect(delivery.layout == .batch && configuration.engine.policy.layout == .batch)
        #expect(delivery.retcodes.success == ["000000", "0"] && delivery.retcodes.retryable == ["7", "8"])
        #expect(delivery.form.extra == [.text("app", name: "CHANNEL")])
        #expect(configuration.engine.rules.severities == [.underAge: .hold, .legalityUnavailable: .accept])
        #expect(configuration.engine.rules.severities[.legalityUnavailable] == .accept)
        #expect(configuration.engine.intakeFreeSpace == 1 << 30)
        #expect(configuration.engine.hasDefaultUserNumber)
        #expect(configuration.fetch.allowsHTTP && configuration.watch.folders == [self.home.path + "/in"])
        #expect(configuration.logLevel == .debug && configuration.logFormat == .json)
    }

    @Test func `a relative path in a file is relative to that file, for every key`() throws {
        let keys = ConfigurationKey.all.filter { $0.expectation == ValueType<String>.path.expectation }
        #expect(keys.count >= 14)
        let all = try self.home.file("etc/all.yaml", keys.map { "\($0.name): ./\($0.name)\n" }.joined())
        let environment = ["HOME": self.home.path]
        let loaded = try LoadedConfiguration(file: all, environment: environment, readingFiles: false)
        for key in keys {
            #expect(key.show(loaded.configuration) == .text("\(self.home.path)/etc/\(key.name)"), "\(key.name)")
        }
        let lists = "watch.folders: [in, ../more, ~/home, /absolute]\nsources: [a=scans, 'b = list.csv', c=/absolute]\n"
        let file = try self.home.file("etc/c.yaml", lists)
        let configuration = try LoadedConfiguration(file: file, environment: environment).configuration
        let folder = self.home.path + "/etc"
        #expect(
            configuration.watch.folders == ["\(folder)/in", "\(folder)/../more", self.home.path + "/home", "/absolute"]
        )
        #expect(configuration.sourcePaths == ["a": "\(folder)/scans", "b": "\(folder)/list.csv", "c": "/absolute"])
    }

    @Test func `a relative path in a variable or an option is relative to the working directory`() throws {
        let here = FileManager.default.currentDirectoryPath
        let variables = ["IDCARD_WATCH_FOLDERS": "in,more", "IDCARD_SANDBOX_PATH": "box"]
        let loaded = try self.home.load("sandbox.path: other\nvault.key_file: the.key\n", variables)
        #expect(loaded.configuration.sandboxPath == here + "/box")
        #expect(loaded.configuration.watch.folders == [here + "/in", here + "/more"])
        #expect(loaded.configuration.vault.keyFile == self.home.path + "/the.key")
        let option = try self.home.load("sandbox.path: other\n", options: ["sandbox.path": "./box"])
        #expect(option.configuration.sandboxPath == here + "/box")
    }

    @Test func `The usual file is found, IDCARD_CONFIG names another, the option a third`() throws {
        _ = try self.home.file(".config/idcard-pipeline/idcard-pipeline.yaml", "imaging.max_edge: 1001\n")
        #expect(try self.home.load().configuration.imaging.maxEdge == 1001)
        let named = ["IDCARD_CONFIG": try self.home.file("two.yaml", "imaging.max_edge: 1002\n")]
        #expect(try self.home.load(nil, named).configuration.imaging.maxEdge == 1002)
        #expect(try self.home.load("imaging.max_edge: 1003\n", named).configuration.imaging.maxEdge == 1003)
        #expect(throws: ConfigurationError.self) {
            try self.home.load(nil, ["IDCARD_CONFIG": self.home.path + "/none.yaml"])
        }
    }

    @Test func `root without a name takes the file of the service, if it is there`() throws {
        let folders = UserFolders(environment: ["HOME": self.home.path])
        let own = try self.home.file(".config/idcard-pipeline/idcard-pipeline.yaml", "")
        let (service, named) = (self.home.path + "/service.yaml", ["IDCARD_CONFIG": "/named.yaml"])
        func located(_ environment: [String: String] = [:], service: String?) -> String? {
            ConfigurationFile.locate(named: nil, environment: environment, folders: folders, service: service)
        }
        #expect(located(service: service) == own)
        _ = try self.home.file("service.yaml", "")
        #expect(located(service: service) == service)
        #expect(located(named, service: service) == "/named.yaml")
        #expect(located(service: nil) == own)
    }

    @Test func `Empty files and files of comments set nothing`() throws {
        for text in ["", "# nothing\n", "---\n"] { #expect(try self.home.mistakes(text).isEmpty, "\(text)") }
    }

    @Test func `A command that needs endpoints names all that is missing; embedded ones need none`() throws {
        let error = #expect(throws: ConfigurationError.self) { try self.home.load(requiringRemotes: true) }
        #expect(
            error?.mistakes.map(\.key) == [
                "verification.url", "verification.api_key", "verification.api_secret", "delivery.url",
                "delivery.token_file",
            ]
        )
        let errors = try #require(error?.mistakes.map(\.error))
        #expect(errors.allSatisfy { $0.code == .settingMissing && $0.kind == .configuration })
        let embedded = try self.home.load(Self.remotes, embedded: true, requiringRemotes: true).configuration
        #expect(embedded.isEmbedded && embedded.verification == nil && embedded.engine.hasDefaultUserNumber)
        #expect(embedded.notices.map { $0.text() }.contains("verification.url is not used with --embedded"))
    }

    @Test func `Secrets are in no report, notice or error`() async throws {
        let yaml = Self.remotes + "delivery.proxy: 'http://u:canary-proxy@h:1'\nwebhooks.secrets: canary-webhook\n"
        let wrong = try await self.home.checked(yaml)
        #expect(!wrong.ok)
        let loaded = try self.home.load(Self.remotes, ["IDCARD_VAULT_KEY": "canary-vault"])
        let shown = ObjectReport(showing: loaded)
        let texts =
            [JSONText.document(wrong), JSONText.document(shown)]
            + (wrong.lines + shown.lines + loaded.configuration.notices).map { $0.text() }
        for text in texts { #expect(!text.contains("canary"), "\(text)") }
        // The address itself is a plain text in the settings of an endpoint.
        let dumped = String(reflecting: loaded.configuration).replacing("canary-query", with: "")
        #expect(!dumped.contains("canary") && dumped.contains("<redacted>"))
        #expect(texts.contains { $0.hasPrefix("verification.api_key") && $0.contains("<set>") })
        #expect(texts.contains { $0.hasPrefix("webhooks.secrets ") && $0.contains("<unset>") })
    }

    @Test func `What is odd but allowed is told`() throws {
        let yaml = """
            verification.url: http://v.example/
            allow_http.hosts: [v.example:80]
            run.patience: 10s
            verdict.severity.under_age: off
            delivery.fields.CHANNEL: app
            watch.ignore: ["sub/*"]
            """
        let environment = ["IDCARD_IMAGING_QUALTY": "1", "IDCARD_DELIVERY_TOKEN_COMMAND": "\"T\""]
        let configuration = try self.home.load(yaml, environment).configuration
        let notices = configuration.notices.map { $0.text() }
        let expected = [
            "verification.url is an http address", "under_age", "CHANNEL",
            "IDCARD_DELIVERY_TOKEN_COMMAND includes quotes",
            "unknown variable IDCARD_IMAGING_QUALTY (ignored); did you mean IDCARD_IMAGING_QUALITY?",
            "watch.ignore: sub/* never matches",
        ]
        for text in expected { #expect(notices.contains { $0.contains(text) }, "\(text)") }
        // Of no interest to who does not run batches.
        #expect(configuration.runNotices.allSatisfy { $0.text().hasPrefix("run.patience is shorter than ") })
        #expect(configuration.runNotices.count == 3)
        let bare = try self.home.load("delivery.url: https://b.example/").configuration.notices.map { $0.text() }
        #expect(bare.contains { $0.hasPrefix("delivery.user_no is not set") })
    }

    @Test(arguments: [
        ("delivery.user_no", "IDCARD_DELIVERY_USER_NO", "\"U1\""),
        ("delivery.user_no", "IDCARD_DELIVERY_USER_NO", "#N/A"),
        ("verification.api_key", "IDCARD_VERIFICATION_API_KEY", "…"),
    ])
    func `What would refuse every card is refused before the first`(key: String, name: String, value: String) throws {
        let error = #expect(throws: ConfigurationError.self) { try self.home.load("", [name: value]) }
        #expect(error?.mistakes.map(\.key) == [key])
    }

    @Test func `http goes to this machine, and to another one only where it is listed`() throws {
        let allowed = [
            "http://localhost/", "http://a.localhost:81/", "http://127.0.0.1:9/", "http://[::1]:9/",
            "https://b.example",
        ]
        for url in allowed { #expect(try self.home.mistakes("delivery.url: '\(url)'\n").isEmpty, "\(url)") }
        let urls = ["http://B.Example/up", "http://b.example:80/", "http://[2001:DB8::7]:8080/"]
        for url in urls {
            let yaml = "delivery.url: '\(url)'\n"
            #expect(try self.home.mistakes(yaml).map(\.key) == ["delivery.url"], "\(url)")
            let listed = ["IDCARD_ALLOW_HTTP_HOSTS": "b.example:80,[2001:db8::7]:8080"]
            #expect(try self.home.mistakes(yaml, listed).isEmpty, "\(url)")
        }
        let hosts = ["api.faceid.com", "faceid.com", "api-cn.faceplusplus.com", "api.megvii.com"]
        for host in hosts {
            let yaml = "verification.url: http://\(host)/\nallow_http.hosts: ['\(host):80']\n"
            #expect(try self.home.mistakes(yaml).map(\.key) == ["verification.url"], "\(host)")
        }
        let other = "delivery.url: http://myfaceid.com/\nallow_http.hosts: ['myfaceid.com:80']\n"
        #expect(try self.home.mistakes(other).isEmpty)
        #expect(try self.home.load("delivery.url: http://b.example/\n", embedded: true).configuration.isEmbedded)
    }

    @Test func `a file of secrets that others may read is told, and a command's TOKEN read when needed`() async throws {
        let file = try self.home.file("open.yaml", "delivery.token_command: printf 'abc\\nsecond'\n", mode: 0o644)
        let configuration = try self.home.load(nil, ["IDCARD_CONFIG": file]).configuration
        #expect(configuration.notices.contains { $0.text().contains("chmod 600") })
        let text = try #require(configuration.deliverySecrets.tokenCommand)
        let command = SecretCommand(key: "delivery.token_command", expected: "the TOKEN", text: text)
        #expect(try await command.firstLine().reveal() == "abc")
    }
}
