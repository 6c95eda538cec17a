import Foundation
import Testing

@testable import IDCardSandbox

/// Keys are read from text in few forms, and are never written but where they are asked for.
struct KeyRingTests {
    private static let base64 = "ERERERERERERERERERERERERERERERERERERERERERE="
    private static let hexadecimal = String(repeating: "11", count: 32)

    @Test(
        "a key is Base64 with or without its padding, or hexadecimal digits",
        arguments: [base64, String(base64.dropLast()), hexadecimal]
    )
    func forms(text: String) throws {
        #expect(try #require(VaultKey(text: text)) == .sample(0x11))
    }

    @Test(
        "anything else is no key",
        arguments: [
            "", "x", String(base64.dropFirst()), String(hexadecimal.dropLast()), String(repeating: "zz", count: 32),
            String(repeating: "+1", count: 32), base64 + base64, String(repeating: "ab", count: 31),
        ]
    )
    func malformed(text: String) {
        #expect(VaultKey(text: text) == nil)
    }

    @Test("a key that is written down is read again, and its id tells keys apart")
    func roundTrip() throws {
        let key = VaultKey.random()
        #expect(VaultKey(text: key.reveal()) == key)
        #expect(VaultKey(text: key.reveal())?.id == key.id)
        #expect(key.id.count == 16)
        #expect(key != VaultKey.random() && key.id != VaultKey.random().id)
    }

    @Test("a ring is a key per line or several with commas, comments aside; the first is the current one")
    func rings() throws {
        let (one, two) = (VaultKey.sample(1), VaultKey.sample(2))
        let text = "# keys\n\n  \(two.reveal())  # new\n\(one.reveal()) \r\n"
        #expect(try KeyRing(text: text).keys == [two, one])
        #expect(try KeyRing(text: "\(one.reveal()),\(two.reveal())").keys == [one, two])
        #expect(try KeyRing(text: one.reveal()).current == one)
        #expect(try KeyRing(text: text).key(one.id) == one)
        #expect(try KeyRing(text: text).key(VaultKey.sample(3).id) == nil)
    }

    @Test(
        "what is not a ring is refused, with the line at fault",
        arguments: [
            ("", KeyRing.Refusal.empty), ("# nothing\n", .empty), ("\nnot-a-key\n", .notAKey(line: 2)),
            ("\(base64)\n\n\(hexadecimal)", .repeated(line: 3)),
            ((1...17).map { VaultKey.sample(UInt8($0)).reveal() }.joined(separator: "\n"), .tooMany),
        ]
    )
    func refusals(text: String, refusal: KeyRing.Refusal) {
        #expect(throws: refusal) { try KeyRing(text: text) }
    }

    @Test("no rendering of a key or a ring shows the key")
    func redacted() {
        let key = VaultKey.sample(0x11)
        let ring = KeyRing(key)
        var dumped = ""
        dump(ring, to: &dumped)
        dump(VaultAccess.encrypted(ring), to: &dumped)
        let all = "\(key) \(ring) \(String(reflecting: key)) \(String(reflecting: ring)) \(dumped)"
        #expect(all.contains(key.id))
        for form in [Self.base64, Self.hexadecimal, "17, 17", "1111"] { #expect(!all.contains(form)) }
    }
}
