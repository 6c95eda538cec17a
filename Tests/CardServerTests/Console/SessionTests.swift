import CardModel
import Testing

@testable import CardServer

@Suite struct SessionTests {
    private let token = ServerHarness.token("li.na", [.review])
    private let sessions = Sessions()

    @Test func `a session ends half an hour after its last use, and ten hours after its begin`() {
        let used = sessions.begin(token, language: nil, at: .zero)
        let asking = sessions.begin(token, language: nil, at: .zero)
        for minute in stride(from: 29, to: 600, by: 29) {
            #expect(sessions.session(used, at: .seconds(60 * minute), isUse: true) != nil)
        }
        #expect(sessions.session(asking, at: .seconds(29 * 60), isUse: false) != nil)
        #expect(
            sessions.session(asking, at: .seconds(31 * 60), isUse: false) == nil,
            "a page that asks by itself is no use"
        )
        #expect(sessions.session(used, at: .seconds(600 * 60), isUse: true) == nil)
    }

    @Test func `the eleventh session of a subject takes the place of the one that was not used for longest`() {
        let names = (0..<10).map { sessions.begin(token, language: nil, at: .seconds($0)) }
        #expect(sessions.session(names[0], at: .seconds(20), isUse: true) != nil)
        let other = sessions.begin(ServerHarness.token("wang.wei", [.review]), language: nil, at: .seconds(21))
        _ = sessions.begin(token, language: nil, at: .seconds(22))
        #expect(sessions.session(names[1], at: .seconds(23), isUse: true) == nil)
        for name in [names[0], names[2], other] {
            #expect(sessions.session(name, at: .seconds(23), isUse: true) != nil)
        }
    }

    @Test func `a name that was never given out opens nothing`() {
        _ = sessions.begin(token, language: nil, at: .zero)
        for name in ["", "x", String(repeating: "0", count: 64)] {
            #expect(sessions.session(name, at: .zero, isUse: true) == nil)
        }
    }
}
