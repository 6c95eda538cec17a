import IDCardPipeline
import Testing

@testable import IDCardApp

@Suite("What a run says while it runs")
struct EngineWordsTests {
    @Test(
        "Little room is said with what stands still and what to do, room again with what goes on",
        arguments: [
            (
                StoreSpace.low(message: "10 MB are left on the disk, intake waits; free some space"),
                "warning: 10 MB are left on the disk, intake waits; free some space; the rest goes on by itself then"
            ),
            (
                .critical(message: "1 MB is left on the disk, only deliveries go on; free some space"),
                "warning: 1 MB is left on the disk, only deliveries go on; free some space; the rest goes on by itself then"
            ),
            (.ample, "there is room in the sandbox again: intake goes on"),
        ]
    )
    func space(space: StoreSpace, line: String) {
        #expect(EngineWords(.spaceChanged(space))?.line == line)
    }

    @Test(
        "A shutdown says how many requests it waits for, and how long",
        arguments: [
            (0, "interrupted: no request is under way; signal again to stop at once"),
            (1, "interrupted: finishing 1 request, up to 20s; signal again to stop at once"),
            (2, "interrupted: finishing 2 requests, up to 20s; signal again to stop at once"),
        ]
    )
    func shuttingDown(requests: Int, line: String) {
        #expect(EngineWords(.shuttingDown(requests: requests, timeout: .seconds(20)))?.line == line)
    }

    @Test("What only moves the figures asks for no words")
    func silent() {
        #expect(EngineWords(.intakeStarted(inputs: 3)) == nil)
        #expect(EngineWords(.input(index: 0, .ignored)) == nil)
    }
}
