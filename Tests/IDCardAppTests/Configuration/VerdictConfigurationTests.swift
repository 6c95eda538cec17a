import IDCardApp
import IDCardCore
import Testing

@Suite("Rules of the verdict in the configuration")
struct VerdictConfigurationTests {
    @Test("The defaults are the rules' own")
    func defaults() throws {
        #expect(try ConfigurationFolder().load().verification.rules == VerdictRules())
    }

    @Test("Every rule has a key with its default and its choices", arguments: VerdictRule.allCases)
    func everyRule(rule: VerdictRule) throws {
        let key = try #require(ConfigurationKey.named("verdict.severity.\(rule.rawValue)"))
        #expect(key.fallback == .value(rule.defaultSeverity.rawValue))
        #expect(key.form == .choice(rule.possibleSeverities.map(\.rawValue)))
        for severity in rule.possibleSeverities {
            let rules = try ConfigurationFolder().load(
                yaml: "verdict:\n  severity:\n    \(rule.rawValue): \(severity.rawValue)\n"
            ).verification.rules
            #expect((rules.severities[rule] ?? rule.defaultSeverity) == severity)
            #expect(rules.severities.keys.allSatisfy { $0 == rule })
        }
    }

    @Test("`off` is a word here, also where YAML takes it for a boolean")
    func off() throws {
        for text in ["off", "\"off\"", "'off'"] {
            let rules = try ConfigurationFolder().load(yaml: "verdict:\n  severity:\n    expired: \(text)\n")
                .verification.rules
            #expect(rules.severities == [.expired: .off])
        }
    }

    @Test("A photo without a card never passes")
    func noCard() throws {
        let error = try #require(
            try ConfigurationFolder().refusal(overrides: ["verdict.severity.card_not_recognised": "off"])
        )
        #expect(error.problems.map(\.code) == [.malformedValue])
        #expect(error.message.contains("expected one of reject, hold"))
    }

    @Test("Age and notice reach the rules")
    func ages() throws {
        let rules = try ConfigurationFolder().load(
            environment: ["IDCARD_VERDICT_MIN_AGE": "18", "IDCARD_VERDICT_EXPIRY_NOTICE_DAYS": "30"]
        ).verification.rules
        #expect(rules.minimumAge == 18)
        #expect(rules.expiryNotice == .seconds(30 * 86_400))
    }

    @Test("Rules that no longer stop a card are named once")
    func weakened() throws {
        let configuration = try ConfigurationFolder().load(overrides: [
            "verdict.severity.expired": "warn", "verdict.severity.validity_end_missing": "off",
            "verdict.severity.legality_low": "hold", "verdict.severity.expires_soon": "off",
        ])
        let notes = configuration.notices.filter { $0.key?.hasPrefix("verdict.severity.") == true }
        #expect(notes.map(\.key) == ["verdict.severity.validity_end_missing"])
        #expect(notes.first?.level == .note)
        #expect(notes.first?.message.hasSuffix(": validity_end_missing, expired") == true)
    }

    @Test("Dialect and way of signing are read")
    func dialects() throws {
        let verification = try ConfigurationFolder().load(overrides: [
            "verification.dialect": "faceid-v3", "verification.auth": "sign", "verification.sign_lifetime": "90s",
            "verification.rate": "0.5",
        ]).verification
        #expect(verification.dialect == .faceidV3)
        #expect(verification.authentication == .sign)
        #expect(verification.signLifetime == .seconds(90))
        #expect(verification.rate == 0.5)
        let defaults = try ConfigurationFolder().load().verification
        #expect(defaults.authentication == .key)
        #expect(defaults.signLifetime == .seconds(300))
        #expect(defaults.rate == nil)
        #expect(
            try ConfigurationFolder().load(overrides: ["verification.dialect": "facepp-v1"]).verification.dialect
                == .faceppV1
        )
    }
}
