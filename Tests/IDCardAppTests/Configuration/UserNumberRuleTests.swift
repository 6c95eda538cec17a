import IDCardApp
import Testing

@Suite("Whether a card must name a user account")
struct UserNumberRuleTests {
    @Test(
        "It must for a real backend, unless the configuration names one",
        arguments: [(false, nil, true), (false, "delivery: {user_no: U-1}", false), (true, nil, false)]
            as [(Bool, String?, Bool)]
    )
    func rule(embedded: Bool, yaml: String?, isRequired: Bool) throws {
        let configuration = try ConfigurationFolder().load(yaml: yaml, embedded: embedded)
        #expect(configuration.requiresUserNumber == isRequired)
    }
}
