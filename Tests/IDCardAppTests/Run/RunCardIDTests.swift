import IDCardCore
import Testing

@testable import IDCardApp

@Suite("Identifiers of cards as bits")
struct RunCardIDTests {
    @Test("A generated identifier comes back as it was, in little room")
    func uuid() {
        var random: any RandomNumberGenerator = SystemRandomNumberGenerator()
        for _ in 0..<1000 {
            let id = CardID.generate(at: Timestamp(millisecondsSinceEpoch: 1_800_000_000_000), using: &random)
            #expect(RunCardID(id).cardID == id)
            guard case .uuid = RunCardID(id) else {
                Issue.record("not taken for a UUID")
                return
            }
        }
        #expect(MemoryLayout<RunCardID>.stride == 24)
        #expect(MemoryLayout<RunCard>.stride == 88)
        #expect(UUIDText.bits(of: "ffffffff-ffff-ffff-0000-00000000000a")?.high == .max)
        #expect(UUIDText.bits(of: "ffffffff-ffff-ffff-0000-00000000000a")?.low == 10)
    }

    @Test(
        "Anything else comes back as it was, too",
        arguments: [
            "", "a", "01890a5d-ac96-774b-bcce-b302099a8057 ", "01890A5D-AC96-774B-BCCE-B302099A8057",
            "01890a5d1ac96-774b-bcce-b302099a8057", "01890a5dac96774bbcceb302099a8057abcd",
            "0-890a5d-ac96-774b-bcce-b302099a8057", "01890a5g-ac96-774b-bcce-b302099a8057",
            "------------------------------------",
            "01890a5-dac96-774b-bcce-b302099a8057",
        ]
    )
    func others(text: String) {
        let id = CardID(rawValue: text)
        #expect(RunCardID(id) == .text(id))
        #expect(RunCardID(id).cardID == id)
    }
}
