import CardModel
import Foundation
import TestSupport
import Testing

@Suite struct CardIDTests {
    @Test func `Ids are version 7 UUIDs that sort by time, and keys are version 4`() throws {
        var random = SeededRandom(seed: 1)
        let times: [Int64] = [0, 1_700_000_000_000, 1_700_000_000_001, (1 << 48) - 1]
        let ids = times.map { CardID.generate(at: Timestamp(millisecondsSinceEpoch: $0), using: &random).rawValue }
        #expect(ids == ids.sorted())
        #expect(ids.map { String($0.prefix(13)) }[1] == "018bcfe5-6800")
        let key = UUIDText.version4(using: &random)
        for (text, version) in ids.map({ ($0, UInt8(7)) }) + [(key, UInt8(4))] {
            let uuid = try #require(UUID(uuidString: text))
            #expect(uuid.uuid.6 >> 4 == version && uuid.uuid.8 >> 6 == 0b10)
            #expect(uuid.uuidString.lowercased() == text)
        }
    }

    @Test func `Ids and states are written as plain texts`() throws {
        let id = CardID(rawValue: "018bcfe5-6800-7000-8000-000000000000")
        #expect(String(decoding: try JSONEncoder().encode([id]), as: UTF8.self) == "[\"\(id.rawValue)\"]")
        let number = try #require(BusinessNumber("LOAN-1"))
        #expect(String(decoding: try JSONEncoder().encode([number]), as: UTF8.self) == #"["LOAN-1"]"#)
        let states = "fetching received prepared verified delivering delivered rejected failed held superseded erased"
        #expect(CardState.allCases.map(\.rawValue).joined(separator: " ") == states)
    }
}
