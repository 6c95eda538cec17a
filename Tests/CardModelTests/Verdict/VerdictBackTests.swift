import CardModel
import Testing

@Suite struct VerdictBackTests {
    @Test(arguments: [
        ("2020.01.01-2040.01.01" as String?, [] as [String]),
        ("2020.01.01-长期", []),
        ("2020.01.01-永久", []),
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
        ("长期", ["validity_start_missing"]),
        ("-2036.11.21", ["validity_start_missing"]),
        ("blurred", ["validity_unreadable"]),
        ("", ["validity_unreadable"]),
        (" ", ["validity_unreadable"]),
        (nil, ["validity_unreadable"]),
    ])
    func `A validity is judged by the day in China, its last day included`(text: String?, codes: [String]) {
        #expect(VerdictRules().codes(.back(text)) == codes)
    }

    @Test(arguments: ["2019.02.28-2039.02.29", "2019.02.29-长期", "2010.13.01-2020.01.01", "2010.11.13-2020.11.31"])
    func `A validity with a day that no calendar has is refused, and shown, but not logged`(text: String) throws {
        let decision = try #require(VerdictRules().judge(.back(text), today: .today).decision)
        #expect(decision.severity == .reject && decision.reason.rawValue == "validity_unreadable")
        #expect(decision.message.text().contains("(\(text))"))
        #expect(!decision.message.description.contains("20"))
    }

    @Test func `A validity without a start passes, one without an end is left to a person`() {
        #expect(VerdictRules().judge(.back("-2036.11.21"), today: .today).verdict == .accepted)
        #expect(VerdictRules().judge(.back("2010.11.13-"), today: .today).decision?.severity == .hold)
    }

    @Test(arguments: [
        ("2025.05.05-2030.05.05", []), ("2024.02.29-2034.02.28", []), ("2024.02.29-2034.03.01", []),
        ("2024.02.29-2044.02.29", []), ("2024.02.29-2034.03.02", ["validity_span"]),
        ("2025.05.05-2035.05.04", ["validity_span"]), ("2025.05.05-2040.05.05", ["validity_span"]),
        ("2025.05.05-2225.05.05", ["validity_span"]), ("2026.11.01-2027.02.01", ["expires_soon", "validity_span"]),
    ])
    func `Cards are issued for 5, 10 or 20 years or for ever; else it is reported`(text: String, codes: [String]) {
        let judgement = VerdictRules().judge(.back(text), today: .today)
        #expect(judgement.verdict == .accepted)
        #expect(judgement.codes == codes)
    }

    @Test(arguments: [
        ("样本市公安局" as String?, [] as [String]), ("样本市公安局东城分局", []), ("样本县公 安局", []), ("样本市人民政府", ["issuer_unusual"]),
        ("", ["issuer_unusual"]),
        (nil, ["issuer_unusual"]),
    ])
    func `An issuer that is no police authority is reported and passes`(text: String?, codes: [String]) {
        let judgement = VerdictRules().judge(.back(issuer: text), today: .today)
        #expect(judgement.verdict == .accepted)
        #expect(judgement.codes == codes)
    }
}
