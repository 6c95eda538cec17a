import Foundation
import Logging
import Testing

@testable import IDCardApp

@Suite("What a log record shows")
struct LoggedKeysTests {
    @Test("Values under listed keys are shown; of others only that there was one")
    func values() {
        let shown = ConsoleLogHandler.shown(["card.id": "c-1", "hb.request.path": "sentinel-name.jpg"])
        #expect(shown == ["card.id": "c-1", "hb.request.path": "[not listed]"])
    }
}
