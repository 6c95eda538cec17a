import IDCardCore
import Testing

@Suite("The verdict over a back")
struct VerdictBackTests {
    @Test(
        "A validity is judged by the day in China, its last day included",
        arguments: [
            ("2020.01.01-2040.01.01", []),
            ("2020.01.01-长期", []),
            // From today, from tomorrow; until today, until yesterday.
            ("2026.11.21-2036.11.21", []),
            ("2026.11.22-2036.11.22", ["validity_not_begun"]),
            ("2026.11.22-长期", ["validity_not_begun"]),
            ("2016.11.21-2026.11.21", ["expires_soon"]),
            ("2016.11.20-2026.11.20", ["expired"]),
            // 90 days from today and 91.
            ("2017.02.19-2027.02.19", ["expires_soon"]),
            ("2017.02.20-2027.02.20", []),
            ("2010.02.30-2030.02.28", ["validity_unreadable"]),
            ("2010.11.13", ["validity_end_missing"]),
            ("2010.11.13-", ["validity_end_missing"]),
            ("长期", ["validity_span"]),
            ("-2036.11.21", ["validity_span"]),
            ("blurred", ["validity_unreadable"]),
            ("", ["validity_unreadable"]),
            (" ", ["validity_unreadable"]),
            (nil, ["validity_unreadable"]),
        ] as [(String?, [String])]
    )
    func validity(text: String?, codes: [String]) {
        #expect(VerdictRules().codes(.back(text)) == codes)
    }

    @Test("A validity without an end is left to a person")
    func endMissing() {
        guard case .held = VerdictRules().judge(.back("2010.11.13-"), today: .today).verdict else {
            Issue.record("not held")
            return
        }
    }

    @Test(
        "Cards are issued for 5, 10 or 20 years or for ever; anything else is reported and passes",
        arguments: [
            ("2025.05.05-2030.05.05", []), ("2024.02.29-2034.02.28", []), ("2024.02.29-2034.03.01", []),
            ("2024.02.29-2044.02.29", []), ("2024.02.29-2034.03.02", ["validity_span"]),
            ("2025.05.05-2035.05.04", ["validity_span"]), ("2025.05.05-2040.05.05", ["validity_span"]),
            ("2025.05.05-2225.05.05", ["validity_span"]),
            ("2026.11.01-2027.02.01", ["expires_soon", "validity_span"]),
        ]
    )
    func span(text: String, codes: [String]) {
        let judgement = VerdictRules().judge(.back(text), today: .today)
        #expect(judgement.verdict == .accepted)
        #expect(judgement.codes == codes)
    }

    @Test(
        "The notice before the end is configurable, and can be none",
        arguments: [
            (Duration.seconds(0), 21, []), (.seconds(86_399), 21, []), (.seconds(86_400), 21, ["expires_soon"]),
            (.seconds(86_400), 22, ["expires_soon"]), (.seconds(86_400), 23, []), (.seconds(-86_400 * 9), 21, []),
            (.seconds(86_400 * 9), 30, ["expires_soon"]),
        ]
    )
    func notice(duration: Duration, lastDay: Int, codes: [String]) {
        let rules = VerdictRules(expiryNotice: duration)
        #expect(rules.codes(.back("2016.11.\(lastDay)-2026.11.\(lastDay)")) == codes)
    }

    @Test(
        "An issuer that is no police authority is reported and passes",
        arguments: [
            ("样本市公安局", []), ("样本市公安局东城分局", []), ("样本县公 安局", []), ("样本市人民政府", ["issuer_unusual"]),
            ("", ["issuer_unusual"]), (nil, ["issuer_unusual"]),
        ] as [(String?, [String])]
    )
    func issuer(text: String?, codes: [String]) {
        let judgement = VerdictRules().judge(.back(issuer: text), today: .today)
        #expect(judgement.verdict == .accepted)
        #expect(judgement.codes == codes)
    }
}
