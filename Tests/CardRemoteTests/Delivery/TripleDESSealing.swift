#if TripleDES
import CLibCrypto
import Foundation

/// Encrypts as a business backend does: the other direction, which the product does not have.
enum TripleDESSealing {
    /// The key of the vectors: 24 bytes.
    static let key = "0123456789abcdefghijklmn"

    /// Returns the ciphertext with PKCS7 padding.
    static func cbc(_ text: String, key: String = key, vector: String = "01234567") -> Data {
        self.encrypted(Data(text.utf8), by: EVP_des_ede3_cbc(), key: key, vector: vector)
    }

    /// Returns the ciphertext with PKCS7 padding, each block for itself.
    static func ecb(_ text: String, key: String = key) -> Data {
        self.encrypted(Data(text.utf8), by: EVP_des_ede3(), key: key, vector: "01234567")
    }

    /// Returns the ciphertext of whole blocks, without padding.
    static func unpadded(_ blocks: Data) -> Data {
        self.encrypted(blocks, by: EVP_des_ede3_cbc(), key: self.key, vector: "01234567", pads: false)
    }

    private static func encrypted(
        _ plain: Data,
        by cipher: OpaquePointer?,
        key: String,
        vector: String,
        pads: Bool = true
    ) -> Data {
        let context = EVP_CIPHER_CTX_new()
        defer { EVP_CIPHER_CTX_free(context) }
        EVP_EncryptInit_ex(context, cipher, nil, Array(key.utf8), Array(vector.utf8))
        EVP_CIPHER_CTX_set_padding(context, pads ? 1 : 0)
        var result = [UInt8](repeating: 0, count: plain.count + 16)
        var count: CInt = 0
        var rest: CInt = 0
        EVP_EncryptUpdate(context, &result, &count, Array(plain), CInt(plain.count))
        result.withUnsafeMutableBufferPointer { buffer in
            _ = EVP_EncryptFinal_ex(context, buffer.baseAddress.map { $0 + Int(count) }, &rest)
        }
        return Data(result.prefix(Int(count + rest)))
    }
}
#endif
