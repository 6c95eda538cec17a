import IDCardApp
import Testing

@Suite("Times, retries and breaker of outbound calls")
struct HTTPConfigurationTests {
    @Test("The defaults are the documented ones")
    func defaults() throws {
        let configuration = try ConfigurationFolder().load()
        #expect(configuration.http.connectTimeout == .seconds(5))
        #expect(configuration.http.poolWaitTimeout == .seconds(5))
        #expect(configuration.http.idleWriteTimeout == .seconds(30))
        #expect(configuration.http.idleReadTimeout == nil)
        #expect(configuration.http.poolIdleTimeout == .seconds(4))
        #expect(configuration.retryBudget.ratio == 0.2)
        #expect(configuration.retryBudget.floorPerSecond == 5)
        #expect(configuration.breaker.failures == 10)
        #expect(configuration.breaker.openFor == .seconds(10))
        #expect(configuration.breaker.openCap == .seconds(120))
    }

    @Test("Every key reaches its place")
    func typed() throws {
        let configuration = try ConfigurationFolder().load(overrides: [
            "http.pool_wait_timeout": "1s", "http.idle_write_timeout": "2s", "http.idle_read_timeout": "3s",
            "http.pool_idle_timeout": "200ms", "retry.budget_ratio": "0.5", "retry.budget_floor": "2.5",
            "breaker.failures": "4", "breaker.open_for": "5s", "breaker.open_cap": "6s",
        ])
        #expect(configuration.http.poolWaitTimeout == .seconds(1))
        #expect(configuration.http.idleWriteTimeout == .seconds(2))
        #expect(configuration.http.idleReadTimeout == .seconds(3))
        #expect(configuration.http.poolIdleTimeout == .milliseconds(200))
        #expect(configuration.retryBudget.ratio == 0.5)
        #expect(configuration.retryBudget.floorPerSecond == 2.5)
        #expect(configuration.breaker.failures == 4)
        #expect(configuration.breaker.openFor == .seconds(5))
        #expect(configuration.breaker.openCap == .seconds(6))
    }

    @Test("A breaker cannot be open for longer than its cap, but for as long")
    func breaker() throws {
        let error = try #require(try ConfigurationFolder().refusal(overrides: ["breaker.open_for": "121s"]))
        #expect(error.problems.map(\.code) == [.conflict])
        #expect(error.problems.map(\.key) == ["breaker.open_for"])
        #expect(try ConfigurationFolder().load(overrides: ["breaker.open_for": "2m"]).breaker.openFor == .seconds(120))
    }

    @Test("A silence of no time is none at all, of a few milliseconds a mistake", arguments: ["1ms", "99ms"])
    func idleRead(text: String) throws {
        let error = try #require(try ConfigurationFolder().refusal(overrides: ["http.idle_read_timeout": text]))
        #expect(error.problems.map(\.code) == [.outOfRange])
        #expect(error.message.contains("100ms"))
        #expect(
            try ConfigurationFolder().load(overrides: ["http.idle_read_timeout": "0ms"]).http.idleReadTimeout == nil
        )
    }
}
