package import CardModel
import Crypto
package import Foundation

/// The stored record of a token: never the token itself.
package struct AccessToken: Hashable, Sendable {
    /// The name, such as `branch-office`, by which the log and limits know who uses it.
    package let name: String
    /// Whose cards are sent and seen with it; `nil` for those of the name.
    package let submitter: String?
    package let scopes: [TokenScope]
    package let createdAt: Date
    /// When it stops working; `nil` for never.
    package let expiresAt: Date?
    /// Distinguishes tokens of one name, for operators: 8 hex digits.
    package var id: String { self.digest.prefix(4).hexadecimal }
    /// The SHA-256 of the token, 32 bytes: 256 random bits cannot be guessed, so a slower hash is not needed.
    let digest: Data

    /// What tokens begin with, so that a scanner for leaked secrets can find them.
    package static let prefix = "idcp_"

    /// Makes a token of 256 random bits.
    ///
    /// - Returns: the record to store, and the token, which is available only here.
    /// - Throws: `token_invalid` for an invalid name or invalid scopes.
    package static func generate(
        name: String,
        submitter: String? = nil,
        scopes: Set<TokenScope>,
        expiresAt: Date? = nil,
        now: Date,
        using random: inout some RandomNumberGenerator
    ) throws(CodedError) -> (AccessToken, secret: Redacted<String>) {
        guard Self.isName(name), submitter.map(Self.isSubmitter) ?? true else { throw Self.invalid(.tokenName) }
        guard !scopes.isEmpty else { throw Self.invalid(.tokenNoScope(TokenScope.known)) }
        let bytes = (0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        let base64 = Data(bytes).base64EncodedString()
        let secret = self.prefix + base64.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
        // The file has no fractions of a second.
        let created = Date(timeIntervalSince1970: now.timeIntervalSince1970.rounded(.down))
        let digest = Self.digest(of: secret)
        return (
            AccessToken(
                name: name,
                submitter: submitter == name ? nil : submitter,
                scopes: scopes.sorted(),
                createdAt: created,
                expiresAt: expiresAt,
                digest: digest
            ), Redacted(secret)
        )
    }

    package var caller: Caller { Caller(subject: self.name, submitter: self.submitter, scopes: Set(self.scopes)) }

    package func isValid(at time: Date) -> Bool { self.expiresAt.map { time < $0 } ?? true }

    static func digest(of secret: String) -> Data { Data(SHA256.hash(data: Data(secret.utf8))) }

    /// Whether a text can be the name of a submitter; `local` is the submitter of lists and watched folders. The log holds
    /// names permanently, and must not hold identity numbers.
    static func isName(_ text: String) -> Bool {
        text.wholeMatch(of: /[A-Za-z0-9._-]{1,64}/) != nil && text != "local" && !IDNumber.isContained(in: text)
    }

    /// Whether a text can be a submitter: a token may send under the name of lists and watched folders.
    private static func isSubmitter(_ text: String) -> Bool { text == Caller.process.subject || self.isName(text) }

    package static func invalid(_ message: Message) -> CodedError {
        CodedError(ReasonCode(rawValue: "token_invalid"), .configuration, message)
    }
}

// MARK: The file of tokens

extension AccessToken: Codable {
    private enum CodingKeys: String, CodingKey {
        case name = "name"
        case submitter = "submitter"
        case scopes = "scopes"
        case createdAt = "created"
        case expiresAt = "expires"
        case digest = "sha256"
    }

    /// Reads the content of a file of tokens (`server.tokens_file`), a JSON array.
    ///
    /// - Throws: `token_invalid`.
    package static func tokens(in content: Data) throws(CodedError) -> [AccessToken] {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        guard let tokens = try? decoder.decode([AccessToken].self, from: content),
            tokens.allSatisfy({ $0.digest.count == 32 })
        else {
            throw self.invalid(.tokenFileInvalid)
        }
        guard tokens.allSatisfy({ self.isName($0.name) && $0.submitter.map(self.isSubmitter) ?? true }) else {
            throw self.invalid(.tokenFileName)
        }
        guard Set(tokens.map(\.digest)).count == tokens.count else { throw self.invalid(.tokenFileTwice) }
        return tokens
    }

    package static func content(of tokens: [AccessToken]) throws -> Data {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(tokens) + [UInt8(ascii: "\n")]
    }
}
