import IDCardApp
import IDCardCore
import Testing

@Suite("Rules between keys")
struct ConfigurationChecksTests {
    @Test(
        "Values that contradict each other are refused",
        arguments: [
            (["retry.base": "31s"], "retry.base"), (["retry.base": "10s", "retry.cap": "5s"], "retry.base"),
            (["http.connect_timeout": "31s"], "http.connect_timeout"),
            (["sandbox.lease": "2m", "verification.timeout": "2m"], "sandbox.lease"),
            (["delivery.timeout": "3m"], "sandbox.lease"), (["run.shutdown_timeout": "3m"], "sandbox.lease"),
            (["imaging.max_decode_time": "4m"], "sandbox.lease"),
            (["delivery.layout": "batch", "delivery.batch_wait": "61s"], "delivery.batch_wait"),
            (["delivery.timeout": "4s", "verification.timeout": "6s"], "http.connect_timeout"),
            (["delivery.retcode.already_exists": "0001,000000"], "delivery.retcode.already_exists"),
            (["delivery.retcode.retryable": "9", "delivery.retcode.token_expired": "9"], "delivery.retcode.retryable"),
        ]
    )
    func conflicts(overrides: [String: String], key: String) throws {
        let error = try #require(try ConfigurationFolder().refusal(overrides: overrides))
        #expect(error.problems.map(\.code) == [.conflict])
        #expect(error.problems.map(\.key) == [key])
    }

    @Test("Without a RETCODE for success nothing could be delivered")
    func noSuccess() throws {
        let error = try #require(try ConfigurationFolder().refusal(yaml: "delivery:\n  retcode:\n    success: []\n"))
        #expect(error.problems.map(\.code) == [.conflict])
        #expect(error.problems.map(\.key) == ["delivery.retcode.success"])
    }

    @Test("Equal bounds do not contradict each other")
    func equalBounds() throws {
        let configuration = try ConfigurationFolder().load(overrides: [
            "retry.base": "30s", "http.connect_timeout": "30s",
        ])
        #expect(configuration.retry.base == configuration.retry.cap)
    }

    @Test(
        "An http address of another machine is a warning, one of this machine is not",
        arguments: [
            ("http://verify.example/", true), ("http://192.168.1.2:80/", true), ("https://verify.example/", false),
            ("http://127.0.0.1:8080/", false), ("http://localhost/", false), ("http://[::1]/", false),
        ]
    )
    func plainText(address: String, isWarned: Bool) throws {
        for key in ["verification.url", "delivery.url"] {
            let notices = try ConfigurationFolder().load(overrides: [key: address]).notices
            #expect(notices.contains { $0.level == .warning && $0.key == key } == isWarned)
        }
    }

    @Test(
        "Doubtful values are warnings",
        arguments: [
            (["run.patience": "10s"], "run.patience"), (["imaging.byte_budget": "2000000"], "imaging.byte_budget"),
            (["retry.cap": "2m"], "run.patience"),
        ]
    )
    func doubtful(overrides: [String: String], key: String) throws {
        let notices = try ConfigurationFolder().load(overrides: overrides).notices
        #expect(notices.contains { $0.level == .warning && $0.key == key })
    }

    @Test("The defaults raise no warning, and the consequences they have are noted")
    func defaults() throws {
        let notices = try ConfigurationFolder().load().notices
        #expect(notices.allSatisfy { $0.level == .note })
        #expect(notices.map(\.key) == ["delivery.on_unknown", "delivery.retcode.token_expired"])
        let changed = try ConfigurationFolder().load(
            overrides: ["delivery.on_unknown": "hold", "delivery.retcode.token_expired": "401"]
        )
        #expect(changed.notices.isEmpty)
    }
}
