import Crypto
import Foundation
import Testing

@testable import IDCardSandbox

/// What lies in sandboxes that were made before must open and be recognised; these values come from another program
/// (Python: hmac, and AESGCM of the package cryptography).
struct KnownAnswerTests {
    private static let key = Data(repeating: 7, count: 32)

    private static func hexadecimal(_ data: Data) -> String {
        data.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    @Test("a fingerprint is the HMAC of its purpose, a zero byte and the value")
    func fingerprint() {
        let key = SymmetricKey(data: Self.key)
        let vault = Vault(keeper: nil, fingerprintKey: key, chainKey: key)
        let code = vault.fingerprint(Data("/in/a.jpg\0L-1".utf8), purpose: Vault.Purpose.path)
        #expect(Self.hexadecimal(code) == "64aac8fa1565d795f8a0672c8899f27da2e8503ad23b3e20e323c4a42cc76538")
        // A slice has indices of its own.
        let slice = Data("x/in/a.jpg\0L-1".utf8).dropFirst()
        #expect(vault.fingerprint(slice, purpose: Vault.Purpose.path) == code)
    }

    @Test("a sealed value names its version, nonce, owner and column as it always did")
    func sealed() {
        let bytes: [UInt8] = [
            0x01, 0x00, 0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0a, 0x0b, 0xfe, 0x21, 0x5e, 0x96, 0x81,
            0xa5, 0x3a, 0x92, 0x8a, 0x08, 0x01, 0x0b, 0x78, 0x3b, 0xaa, 0x28, 0x4e, 0x75, 0x8f, 0x64, 0xed, 0x9f,
        ]
        let key = SymmetricKey(data: Self.key)
        let value = SealedValue.open(Data(bytes), using: key, owner: "card-1", column: "card.user_number")
        #expect(value == Data("样本".utf8))
        #expect(SealedValue.open(Data(bytes), using: key, owner: "card-1", column: "card.message") == nil)
    }
}
