import IDCardApp
import Testing

@Suite("Values that cannot be used")
struct ValueProblemTests {
    @Test(
        "A value of another form is refused with key, origin and expected form",
        arguments: ConfigurationKey.all.map(\.path)
    )
    func everyKeyRefusesAnotherForm(path: String) throws {
        let key = try #require(ConfigurationKey.named(path))
        let folder = try ConfigurationFolder()
        let text = SampleValue.malformed(for: key)
        let error = try #require(try folder.refusal(environment: [key.environmentName: text]))
        #expect(error.problems.map(\.code) == [.malformedValue])
        #expect(error.problems.map(\.key) == [path])
        #expect(error.message.hasPrefix(path + ": "))
        #expect(error.message.contains(key.form.expectation))
        #expect(error.message.contains("from the variable \(key.environmentName)"))
        #expect(error.message.contains(text.replacing("\n", with: "\u{FFFD}")) == !key.isSecret)
    }

    @Test(
        "A value outside its range is refused and the range is named",
        arguments: [
            ("imaging.quality", "1.01", "0 … 1"), ("imaging.quality", "-0.1", "0 … 1"),
            ("imaging.max_edge", "0", "48 … 65500"), ("imaging.byte_budget", "9999", "10000 … 100000000"),
            ("verification.concurrency", "0", "1 … 256"), ("verification.timeout", "0s", "100ms … 1h"),
            ("verification.legality_threshold", "80", "0 … 1"), ("delivery.max_attempts", "101", "1 … 100"),
            ("retry.base", "0ms", "1ms … 1h"), ("http.max_reply_bytes", "2GiB", "1KiB … 1GiB"),
            ("verification.sign_lifetime", "9s", "10s … 24h"), ("verification.rate", "10001", "0 … 10000"),
            ("delivery.rate", "-1", "0 … 10000"), ("delivery.batch_max_cards", "0", "1 … 1000"),
            ("delivery.batch_max_cards", "1001", "1 … 1000"), ("delivery.batch_max_bytes", "9KB", "10000 … 1GiB"),
            ("delivery.batch_wait", "61m", "0s … 1h"), ("delivery.token_timeout", "99ms", "100ms … 1h"),
            ("http.pool_idle_timeout", "99ms", "100ms … 10m"), ("http.pool_idle_timeout", "11m", "100ms … 10m"),
            ("retry.budget_ratio", "10.1", "0 … 10"), ("retry.budget_floor", "1001", "0 … 1000"),
            ("breaker.failures", "0", "1 … 10000"), ("verdict.min_age", "151", "0 … 150"),
            ("verdict.expiry_notice_days", "3651", "0 … 3650"),
        ]
    )
    func range(path: String, text: String, range: String) throws {
        let error = try #require(try ConfigurationFolder().refusal(yaml: "\(path): \(text)\n"))
        #expect(error.problems.map(\.code) == [.outOfRange])
        #expect(error.problems.map(\.key) == [path])
        #expect(error.message.contains("\"\(text)\" is out of range"))
        #expect(error.message.contains(range))
    }

    @Test(
        "Numbers that only programmers write are refused",
        arguments: ["nan", "inf", "0x1p-1", "+0.5", "5e-1", "0,5", "half"]
    )
    func numbers(text: String) throws {
        let error = try #require(try ConfigurationFolder().refusal(overrides: ["imaging.quality": text]))
        #expect(error.code == .malformedValue)
        #expect(error.message.contains("from the command line"))
    }

    @Test("What a later version will know is refused as such")
    func planned() {
        let form = ConfigurationForm.choice(["now"], planned: ["later"])
        #expect(throws: ConfigurationForm.Refusal.planned) { try form.parse("later") }
        #expect(throws: ConfigurationForm.Refusal.malformed) { try form.parse("never") }
        #expect(form.range == "now, (later)")
    }

    @Test("An empty value in the file or on the command line is refused, not taken as unset")
    func empty() throws {
        let folder = try ConfigurationFolder()
        let inFile = try #require(try folder.refusal(yaml: "verification:\n  url:\n"))
        #expect(inFile.problems.map(\.code) == [.malformedValue])
        #expect(inFile.message.contains("verification.url is empty"))
        let option = try #require(try folder.refusal(overrides: ["sandbox.path": " "]))
        #expect(option.problems.map(\.key) == ["sandbox.path"])
    }

    @Test("A list where one value belongs is refused")
    func listForScalar() throws {
        let error = try #require(try ConfigurationFolder().refusal(yaml: "imaging:\n  quality: [0.5, 0.6]\n"))
        #expect(error.problems.map(\.code) == [.malformedValue])
        #expect(error.problems.map(\.key) == ["imaging.quality"])
    }

    @Test("All problems are found in one pass")
    func allAtOnce() throws {
        let error = try #require(
            try ConfigurationFolder().refusal(
                yaml: "imaging:\n  quality: high\n  sharpness: 3\nretry:\n  base: 2m\n",
                overrides: ["log.level": "loud"],
                environment: ["IDCARD_DELIVERY_TIMEOUT": "60"],
                requiringRemotes: true
            )
        )
        #expect(
            error.problems.map(\.code)
                == [.unknownKey, .malformedValue, .malformedValue, .malformedValue, .conflict, .missing, .missing]
        )
        #expect(
            error.problems.map(\.key) == [
                "imaging.sharpness", "imaging.quality", "delivery.timeout", "log.level", "retry.base",
                "verification.url", "vault.key_file",
            ]
        )
        #expect(error.message.split(separator: "\n").count >= 6)
    }

    @Test("Control characters of a value do not reach the terminal")
    func controlCharacters() throws {
        let error = try #require(
            try ConfigurationFolder().refusal(overrides: [
                "log.format": "te\u{1B}[2Jxt" + String(repeating: "x", count: 500)
            ])
        )
        #expect(!error.message.contains("\u{1B}"))
        #expect(error.message.count < 200)
    }
}
