import IDCardApp
import Testing

@Suite("What `config check` finds doubtful")
struct ConfigurationNoticesTests {
    @Test(
        "Settings that do not go well together are named",
        arguments: [
            (["imaging.max_edge": "4097"], "imaging.max_edge"),
            (["imaging.max_edge": "4097", "verification.dialect": "facepp-v1"], "imaging.max_edge"),
            (["imaging.max_edge": "8001", "verification.dialect": "faceid-v3"], "imaging.max_edge"),
            (["delivery.layout": "batch", "delivery.batch_max_bytes": "1MB"], "delivery.batch_max_bytes"),
            (["retry.budget_ratio": "0", "retry.budget_floor": "0"], "retry.budget_ratio"),
        ]
    )
    func warnings(overrides: [String: String], key: String) throws {
        let warnings = try ConfigurationFolder().load(overrides: overrides).notices.filter { $0.level == .warning }
        #expect(warnings.map(\.key) == [key])
    }

    @Test(
        "The edge of what goes well is not named",
        arguments: [
            ["imaging.max_edge": "4096"], ["imaging.max_edge": "8000", "verification.dialect": "faceid-v3"],
            ["delivery.layout": "batch", "delivery.batch_wait": "60s"],
            ["delivery.layout": "batch", "delivery.batch_max_bytes": "1990000"], ["delivery.layout": "application"],
            ["retry.budget_ratio": "0"], ["retry.budget_floor": "0"], ["http.idle_write_timeout": "60s"],
            ["http.pool_idle_timeout": "5s"], ["verification.timeout": "20s", "delivery.timeout": "20s"],
            ["verification.auth": "sign", "verification.sign_lifetime": "1m"],
            ["delivery.body": "octet-stream", "delivery.header_prefix": "Card-"],
            ["delivery.token_command": "true", "delivery.token_timeout": "3s"],
            ["verdict.min_age": "18", "verdict.severity.under_age": "hold"],
            ["delivery.batch_wait": "2s", "delivery.reply.iv": "01234567"],
        ]
    )
    func silence(overrides: [String: String]) throws {
        let defaults = try ConfigurationFolder().load().notices
        #expect(try ConfigurationFolder().load(overrides: overrides).notices == defaults)
    }

    @Test(
        "A key that does nothing beside the others is noted",
        arguments: [
            (["verification.sign_lifetime": "1m"], "verification.sign_lifetime"),
            (["delivery.batch_wait": "61s"], "delivery.batch_wait"),
            (["delivery.layout": "application", "delivery.batch_max_cards": "2"], "delivery.batch_max_cards"),
            (["delivery.reply.items": "LIST"], "delivery.reply.items"),
            (["delivery.header_prefix": "Y-"], "delivery.header_prefix"),
            (["delivery.body": "octet-stream", "delivery.filename.front": "a.jpg"], "delivery.filename.front"),
            (["delivery.reply.key": "0123456789abcdef"], "delivery.reply.key"),
            (["delivery.reply.iv": "76543210"], "delivery.reply.iv"),
            (["delivery.token_timeout": "1s"], "delivery.token_timeout"),
            (["verdict.severity.under_age": "hold"], "verdict.severity.under_age"),
            (
                ["verdict.expiry_notice_days": "0", "verdict.severity.expires_soon": "hold"],
                "verdict.severity.expires_soon"
            ),
            (["http.idle_write_timeout": "61s"], "http.idle_write_timeout"),
            (["http.idle_read_timeout": "2m"], "http.idle_read_timeout"),
            (["http.pool_wait_timeout": "2m"], "http.pool_wait_timeout"),
            (["http.pool_idle_timeout": "6s"], "http.pool_idle_timeout"),
        ]
    )
    func notes(overrides: [String: String], key: String) throws {
        let defaults = try ConfigurationFolder().load().notices
        let new = try ConfigurationFolder().load(overrides: overrides).notices.filter { !defaults.contains($0) }
        #expect(new.map(\.key) == [key])
        #expect(new.map(\.level) == [.note])
    }
}
