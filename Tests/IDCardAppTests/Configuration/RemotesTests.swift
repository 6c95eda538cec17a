import Testing

@testable import IDCardApp

@Suite("The outside services")
struct RemotesTests {
    @Test("One problem lists all services that are missing, how to set them, and --embedded; another is the key")
    func listsAll() throws {
        let folder = try ConfigurationFolder()
        let error = try #require(try folder.refusal(requiringRemotes: true))
        #expect(error.problems.map(\.code) == [.missing, .missing])
        #expect(error.problems.last == .missingVaultKey)
        for name in ["verification.url", "verification.api_key", "verification.api_secret", "delivery.url"] {
            let key = try #require(ConfigurationKey.named(name))
            #expect(error.message.contains("\(name) (\(key.environmentName)): \(key.summary)"))
        }
        let token =
            "delivery.token_file (IDCARD_DELIVERY_TOKEN_FILE) or delivery.token (IDCARD_DELIVERY_TOKEN) or "
            + "delivery.token_command (IDCARD_DELIVERY_TOKEN_COMMAND): "
        #expect(error.message.contains(token))
        #expect(error.message.contains("--embedded"))
        let later = #expect(throws: ConfigurationError.self) { try folder.load().remotes() }
        #expect(later?.problems == Array(error.problems.dropLast()))
    }

    @Test(
        "Each of them alone is missed",
        arguments: [
            "IDCARD_VERIFICATION_URL", "IDCARD_VERIFICATION_API_KEY", "IDCARD_VERIFICATION_API_SECRET",
            "IDCARD_DELIVERY_URL", "IDCARD_DELIVERY_TOKEN",
        ]
    )
    func missesOne(name: String) throws {
        var environment = CompleteConfiguration.environment
        environment[name] = nil
        let error = try #require(try ConfigurationFolder().refusal(environment: environment, requiringRemotes: true))
        #expect(error.problems.map(\.code) == [.missing])
        for other in CompleteConfiguration.environment.keys {
            #expect(error.message.contains("(\(other))") == (other == name), "\(other)")
        }
    }

    @Test("A key that is set to something unreadable is not missing as well")
    func refusedIsNotMissing() throws {
        var environment = CompleteConfiguration.environment
        environment["IDCARD_DELIVERY_URL"] = "nowhere"
        let error = try #require(try ConfigurationFolder().refusal(environment: environment, requiringRemotes: true))
        #expect(error.problems.map(\.code) == [.malformedValue])
    }

    @Test("Nothing is missing with --embedded, and configured services are warned about")
    func embedded() throws {
        let folder = try ConfigurationFolder()
        #expect(try folder.load(embedded: true, requiringRemotes: true).notices == [])
        let configured = try folder.load(
            environment: CompleteConfiguration.environment,
            embedded: true,
            requiringRemotes: true
        )
        #expect(configured.notices.map(\.key) == ["verification.url", "delivery.url"])
        #expect(configured.notices.allSatisfy { $0.level == .warning && $0.message.contains("--embedded") })
    }
}
