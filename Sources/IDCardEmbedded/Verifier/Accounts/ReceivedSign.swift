import Crypto
import FoundationEssentials

/// A signature as it was received: `Base64(code || raw)`, where the code is the HMAC-SHA1 of `raw` under the account's
/// secret, 20 bytes, and `raw` is `a={key}&b={expiry}&c={time}&d={random}`.
///
/// Written after the vendor's description (faceid.com/faceid-open-doc/docs/sdkauth.html) and not after any client.
struct ReceivedSign: Hashable {
    private static let codeLength = Insecure.SHA1.byteCount

    /// The account's key.
    let key: String
    /// The last second, since 1970, at which it is good; 0 for one use.
    let expiry: Int64
    /// The second, since 1970, at which it was made.
    let time: Int64
    private let raw: Data
    private let code: Data

    /// Takes a signature apart; `nil` if it is not one.
    init?(_ text: String) {
        guard let bytes = Data(base64Encoded: text), bytes.count > Self.codeLength else { return nil }
        let raw = Data(bytes.dropFirst(Self.codeLength))
        guard let fields = String(validating: raw, as: UTF8.self)?.split(separator: "&"), fields.count == 4 else {
            return nil
        }
        var values: [Substring] = []
        for (field, name) in zip(fields, ["a=", "b=", "c=", "d="]) {
            guard field.hasPrefix(name), field.count > name.count else { return nil }
            values.append(field.dropFirst(name.count))
        }
        let numbers = values.dropFirst()
        guard numbers.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }), values[3].utf8.count <= 10
        else { return nil }
        guard let expiry = Int64(values[1]), let time = Int64(values[2]) else { return nil }
        self.key = String(values[0])
        self.expiry = expiry
        self.time = time
        self.raw = raw
        self.code = Data(bytes.prefix(Self.codeLength))
    }

    /// Whether it was made with a secret; the time taken says nothing about the secret.
    func isMade(with secret: String) -> Bool {
        HMAC<Insecure.SHA1>.isValidAuthenticationCode(
            self.code,
            authenticating: self.raw,
            using: SymmetricKey(data: Array(secret.utf8))
        )
    }
}
