import CardModel
import Foundation
import Testing

@testable import CardRemote

/// The lengths of keys and start vectors, and what the trait decides.
@Suite struct ReplyCipherKeyTests {
    static func encryption(
        _ mode: ReplyEncryption.Mode = .cbc,
        key: String,
        vector: String = "01234567"
    ) -> ReplyEncryption {
        ReplyEncryption(mode, key: Redacted(key), startVector: Redacted(vector))
    }

    #if TripleDES
    @Test(arguments: [16, 24, 25, 32, 100].map { String(repeating: "k", count: $0) } + ["一二三四五六七八"])
    func `A key has 16 or 24 bytes of UTF-8, or more, in however many characters`(key: String) throws {
        let cipher = try ReplyCipher(Self.encryption(key: key))
        #expect(cipher.decrypted([UInt8](repeating: 1, count: 8))?.count == 8)
    }

    @Test(arguments: [0, 1, 8, 15, 17, 20, 23])
    func `A key of another length is refused, and not repeated`(length: Int) throws {
        let error = try #require(throws: CodedError.self) {
            try ReplyCipher(Self.encryption(key: String(repeating: "k", count: length)))
        }
        #expect(error.code.rawValue == "encryption_invalid")
        #expect(error.message.contains("delivery.reply.key_file: the key has \(length) byte"))
        #expect(!error.message.contains("kk"))
    }

    @Test(arguments: ["", "0123456", "012345678"])
    func `A start vector has 8 bytes, and ECB asks for none`(vector: String) throws {
        let key = String(repeating: "k", count: 24)
        let error = try #require(throws: CodedError.self) {
            try ReplyCipher(Self.encryption(key: key, vector: vector))
        }
        #expect(error.code.rawValue == "encryption_invalid")
        #expect(error.message.contains("delivery.reply.iv"))
        let cipher = try ReplyCipher(Self.encryption(.ecb, key: key, vector: vector))
        #expect(cipher.decrypted([UInt8](repeating: 1, count: 8))?.count == 8)
    }
    #else
    @Test(arguments: ReplyEncryption.Mode.allCases)
    func `Without the trait an encryption is refused with the remedy`(mode: ReplyEncryption.Mode) throws {
        let error = try #require(throws: CodedError.self) {
            try ReplyCipher(Self.encryption(mode, key: "0123456789abcdefghijklmn"))
        }
        #expect(error.code.rawValue == "encryption_unsupported")
        #expect(error.message.contains("TripleDES"))
    }
    #endif

    @Test func `Key and start vector do not print themselves`() {
        let encryption = Self.encryption(key: "canary-key", vector: "canary-iv")
        var configuration = makeDeliverySettings()
        configuration.encryption = encryption
        var dumped = ""
        dump(configuration, to: &dumped)
        for text in ["\(encryption)", "\(configuration)", String(reflecting: configuration), dumped] {
            #expect(!text.contains("canary"))
        }
    }
}

#if TripleDES
/// The vectors of the convention, in both directions.
@Suite struct ReplyCipherTests {
    /// One line of the table of vectors.
    struct Vector: CustomTestStringConvertible {
        let plain: String
        let cbc: String
        let ecb: String
        var testDescription: String { self.plain.isEmpty ? "(empty)" : self.plain }
    }

    static let vectors: [Vector] = [
        Vector(plain: "", cbc: "oj/fvaQz4JA=", ecb: "xGxf4VWHZOM="),
        Vector(plain: "A", cbc: "3ErUhWgJ7Ik=", ecb: "1EhcYKpS67Y="),
        Vector(plain: "12345678", cbc: "tUWF8cz0fDxDVjhgcXY6qA==", ecb: "nUik+qHfeaPEbF/hVYdk4w=="),
        Vector(plain: "上传成功", cbc: "EUZKaso/lpbj3XERRyGjNg==", ecb: "OF8MZIS/eDKuzOXZAeDP2A=="),
        Vector(
            plain: #"{"RETCODE":"000000","RETMSG":"上传成功"}"#,
            cbc: "Cqz4wqLDkuE8WpVXmvwwflSYhOo079bW8J35dIJcZsfHj6JyX18WAyVyPWZqzRmN",
            ecb: "veEbZtzaVZ9TPa9Oy96RouqyL6JgZYwc7iLQNJ1jMGki+yI6GzIhtO6mG/V4JN2K"
        ),
    ]

    private func cipher(
        _ mode: ReplyEncryption.Mode = .cbc,
        key: String = TripleDESSealing.key,
        vector: String = "01234567"
    ) throws -> ReplyCipher {
        try ReplyCipher(ReplyCipherKeyTests.encryption(mode, key: key, vector: vector))
    }

    /// The plain text with its padding.
    private func padded(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        let count = 8 - bytes.count % 8
        return bytes + [UInt8](repeating: UInt8(count), count: count)
    }

    private func bytes(_ base64: String) throws -> [UInt8] {
        Array(try #require(Data(base64Encoded: base64)))
    }

    @Test(arguments: vectors)
    func `Every vector decrypts to its plain text and a whole padding, in both modes, and the tests encrypt to it`(
        vector: Vector
    ) throws {
        #expect(try self.cipher(.cbc).decrypted(self.bytes(vector.cbc)) == self.padded(vector.plain))
        #expect(try self.cipher(.ecb).decrypted(self.bytes(vector.ecb)) == self.padded(vector.plain))
        #expect(TripleDESSealing.cbc(vector.plain).base64EncodedString() == vector.cbc)
        #expect(TripleDESSealing.ecb(vector.plain).base64EncodedString() == vector.ecb)
    }

    @Test func `A key of 16 bytes is used as K1 K2 K1`() throws {
        let cipher = try self.cipher(key: "0123456789abcdef")
        #expect(try cipher.decrypted(self.bytes("d5wrHuWgWDY=")) == self.padded("A"))
        let expanded = TripleDESSealing.cbc("A", key: "0123456789abcdef01234567")
        #expect(expanded.base64EncodedString() == "d5wrHuWgWDY=")
    }

    @Test(arguments: [TripleDESSealing.key + "opqrstuvwxyz", "1123456789abcdefghijklmn"])
    func `Neither what follows 24 bytes of a key nor its parity bits count`(key: String) throws {
        #expect(try self.cipher(key: key).decrypted(self.bytes("3ErUhWgJ7Ik=")) == self.padded("A"))
    }

    @Test func `A wrong start vector spoils the first block alone, and the padding stays right`() throws {
        let vector = Self.vectors[4]
        let plain = try #require(try self.cipher(vector: "76543210").decrypted(self.bytes(vector.cbc)))
        #expect(plain.prefix(8) != self.padded(vector.plain).prefix(8))
        #expect(plain.dropFirst(8) == self.padded(vector.plain).dropFirst(8))
        let other = Array(TripleDESSealing.cbc(vector.plain, vector: "76543210"))
        #expect(try self.cipher(vector: "76543210").decrypted(other) == self.padded(vector.plain))
    }

    @Test(arguments: [0, 1, 7, 9, 15])
    func `What is not whole blocks is not decrypted`(count: Int) throws {
        #expect(try self.cipher().decrypted([UInt8](repeating: 0, count: count)) == nil)
    }
}
#endif
