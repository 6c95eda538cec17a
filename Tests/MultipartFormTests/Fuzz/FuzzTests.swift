import Foundation
import MultipartForm
import Testing

@Suite(.timeLimit(.minutes(10))) struct FuzzTests {
    @Test(arguments: [TestSeed.value])
    func `Fuzzing by mutations of known bodies finds no broken rule in a debug build either`(seed: UInt64) throws {
        var random = Mutator(seed: seed)
        let bodies = ParserRulesTests.all.map(\.body)
        for (index, body) in bodies.enumerated() {
            try FormOracle.check(Data([0, UInt8(index & 255)]) + body)
            for _ in 0..<60 {
                let input = random.mutated(Data([random.byte() & 1, random.byte()]) + body, with: bodies)
                do {
                    try FormOracle.check(input)
                } catch {
                    Issue.record("\(error); seed \(seed), input \(input.base64EncodedString())")
                }
            }
        }
    }

    /// Changes inputs at random, the same way for the same seed.
    private struct Mutator {
        private var state: UInt64

        init(seed: UInt64) {
            self.state = seed &* 0x9E37_79B9_7F4A_7C15 | 1
        }

        mutating func number(_ bound: Int) -> Int {
            self.state ^= self.state << 13
            self.state ^= self.state >> 7
            self.state ^= self.state << 17
            return Int(self.state >> 16) % max(1, bound)
        }

        mutating func byte() -> UInt8 { UInt8(self.number(256)) }

        mutating func mutated(_ input: Data, with others: [Data]) -> Data {
            var bytes = [UInt8](input)
            let pieces = [
                "\r\n", "--XbndX", "\r\n--XbndX--\r\n", "\"", "\\", "\u{0}", "\n", "; name=\"a\"", "\r\n\r\n",
            ]
            for _ in 0...self.number(4) {
                let place = 2 + self.number(max(1, bytes.count - 2))
                switch self.number(5) {
                case 0 where place < bytes.count:
                    bytes[place] = self.byte()
                case 1 where place < bytes.count:
                    bytes.removeSubrange(place..<min(bytes.count, place + 1 + self.number(20)))
                case 2:
                    bytes.insert(contentsOf: pieces[self.number(pieces.count)].utf8, at: min(place, bytes.count))
                case 3:
                    let other = others[self.number(others.count)]
                    let start = self.number(other.count)
                    bytes.insert(contentsOf: other.dropFirst(start).prefix(40), at: min(place, bytes.count))
                default:
                    bytes.removeLast(min(bytes.count - 2, self.number(12)))
                }
            }
            return Data(bytes)
        }
    }
}
