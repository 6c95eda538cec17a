import Foundation
import IDCardApp
import IDCardCore
import Testing

@Suite("Secrets")
struct SecretTests {
    /// Everything a configuration or its error can be turned into.
    private func renderings(_ outcome: Result<AppConfiguration, ConfigurationError>) throws -> String {
        var all = [ConfigurationReport.check(outcome), try ConfigurationReport.checkJSON(outcome)]
        var dumped = ""
        switch outcome {
        case .success(let configuration):
            all += [ConfigurationReport.show(configuration), try ConfigurationReport.showJSON(configuration)]
            all += ["\(configuration)", String(reflecting: configuration)]
            dump(configuration, to: &dumped)
        case .failure(let error):
            all += ["\(error)", String(reflecting: error), error.localizedDescription]
            dump(error, to: &dumped)
        }
        return (all + [dumped]).joined(separator: "\n")
    }

    @Test(
        "A secret reaches the program and no output, from the file and from the environment",
        arguments: [true, false]
    )
    func shownNowhere(fromFile: Bool) async throws {
        let configuration = try ConfigurationFolder().load(
            yaml: fromFile ? CompleteConfiguration.yaml : nil,
            environment: fromFile ? [:] : CompleteConfiguration.environment,
            requiringRemotes: true
        )
        let remotes = try configuration.remotes()
        #expect(remotes.apiKey.reveal() == "canary-key")
        #expect(remotes.apiSecret.reveal() == "canary-secret")
        #expect(try await remotes.token.current().reveal() == "canary-token")
        #expect(configuration.delivery.userNumber?.reveal() == "canary-user")
        #expect(configuration.verification.proxy?.password?.reveal() == "canary-proxy-password")
        #expect(configuration.delivery.proxy?.user?.reveal() == "canary-proxy-user")
        #expect(configuration.delivery.proxy?.port == 3129)
        #expect(try configuration.delivery.reply.key?.read().reveal() == "canary-reply-key-of-24-bytes")
        let text = try self.renderings(.success(configuration)) + "\(remotes)" + String(reflecting: remotes)
        #expect(!text.contains("canary"))
    }

    @Test(
        "The message about an unusable secret does not quote it",
        arguments: ConfigurationKey.all.filter(\.isSecret).map(\.path)
    )
    func unusableSecret(path: String) throws {
        let folder = try ConfigurationFolder()
        let key = try #require(ConfigurationKey.named(path))
        let inVariable = try #require(try folder.refusal(environment: [key.environmentName: "canary\u{7}canary"]))
        #expect(inVariable.problems.map(\.code) == [.malformedValue])
        #expect(!(try self.renderings(.failure(inVariable))).contains("canary"))
        let inFile = try #require(try folder.refusal(yaml: "\(path): [canary-one, canary-two]\n"))
        #expect(inFile.problems.map(\.code) == [.malformedValue])
        #expect(!(try self.renderings(.failure(inFile))).contains("canary"))
    }

    @Test(
        "The message about a broken file does not quote it",
        arguments: [
            "verification:\n  api_secret: \"canary\n", "verification:\n  api_secret: canary: canary\n",
            "verification: {api_secret: canary\n", "canary\n", "- canary\n", "verification:\n\tapi_secret: canary\n",
            "verification:\n  api_secret: *canary\n", "verification:\n  api_secret: [{canary: canary}]\n",
            "verification:\n  api_secret: canary\n  api_secret: canary\n", "? [canary]\n: canary\n",
            "verification:\n  api_secret: canary\u{1}\n", "--- canary\n--- canary\n",
        ]
    )
    func brokenFile(yaml: String) throws {
        let error = try #require(try ConfigurationFolder().refusal(yaml: yaml))
        #expect(error.problems.map(\.code) == [.fileMalformed])
        #expect(!(try self.renderings(.failure(error))).contains("canary"))
    }

    @Test("The line of a syntax error is named")
    func brokenLine() throws {
        let error = try #require(
            try ConfigurationFolder().refusal(yaml: "imaging:\n  quality: 0.5\nverification:\n  api_key: a: b\n")
        )
        #expect(error.message.contains("line 4"))
    }

    @Test("An address with a password is refused without quoting it")
    func password() throws {
        let error = try #require(
            try ConfigurationFolder().refusal(yaml: "delivery:\n  url: https://me:canary@backend.example/\n")
        )
        #expect(error.problems.map(\.code) == [.malformedValue])
        #expect(!(try self.renderings(.failure(error))).contains("canary"))
    }

    @Test("A file with secrets that others may read is a warning")
    func readableFile() throws {
        let folder = try ConfigurationFolder()
        let warnings = { (mode: Int, yaml: String) in
            let file = try folder.write(yaml, mode: mode)
            return try AppConfiguration.load(file: file, environment: ["HOME": folder.path]).notices
                .filter { $0.level == .warning }.map(\.message)
        }
        #expect(try warnings(0o600, CompleteConfiguration.yaml) == [])
        #expect(try warnings(0o644, "imaging:\n  quality: 0.4\n") == [])
        let found = try warnings(0o640, CompleteConfiguration.yaml)
        #expect(found.count == 1)
        #expect(found.first?.contains("chmod 600") == true)
    }

    @Test("`config show` says whether a secret is set")
    func setOrUnset() throws {
        let folder = try ConfigurationFolder()
        let without = try folder.load()
        #expect(without.entry("verification.api_key")?.shown == "<unset>")
        let with = try folder.load(yaml: CompleteConfiguration.yaml)
        #expect(with.entry("verification.api_key")?.shown == "<set>")
        #expect(with.entry("verification.url")?.shown == "https://verify.example/faceid/v1/ocridcard")
    }

    @Test("A credential of systemd may show rights of its group, as its access list makes it; no other file may")
    func credential() throws {
        let folder = try ConfigurationFolder()
        let path = try folder.write("secret", to: "vault.key", mode: 0o440)
        let credentials = CredentialFolder(path: folder.path)
        #expect(try SecretFile(path: path, key: "k", credentials: credentials).read().reveal() == "secret")
        for other in [CredentialFolder(path: nil), CredentialFolder(path: folder.path + "/other")] {
            let file = SecretFile(path: path, key: "k", credentials: other)
            #expect(throws: ConfigurationError.Problem.self) { try file.read() }
        }
    }
}
