package import IDCardCore

/// Where the key of encrypted replies comes from.
package struct ReplyKeySource: Hashable, Sendable {
    private enum Origin: Hashable {
        case fixed(Redacted<String>)
        case file(String)
    }

    private let origin: Origin

    /// Always gives the same key.
    package static func fixed(_ key: Redacted<String>) -> ReplyKeySource { ReplyKeySource(origin: .fixed(key)) }

    /// Reads the key from a file that only its owner may read.
    package static func file(_ path: String) -> ReplyKeySource { ReplyKeySource(origin: .file(path)) }

    /// Gives the key, of which the first 24 bytes count, or all 16.
    ///
    /// - Throws: `insecureFile` or `secretUnreadable` as ``SecretFile/read()`` does, `outOfRange` for a key of another
    ///   length than 16 or at least 24 bytes in UTF-8.
    package func read() throws(ConfigurationError) -> Redacted<String> {
        do throws(ConfigurationError.Problem) {
            return try self.checked()
        } catch {
            throw ConfigurationError([error])
        }
    }

    /// Gives the key, or the one thing that is wrong.
    func checked() throws(ConfigurationError.Problem) -> Redacted<String> {
        let path: String
        let key: Redacted<String>
        switch self.origin {
        case .fixed(let fixed): (path, key) = ("delivery.reply.key", fixed)
        case .file(let file):
            path = "delivery.reply.key_file"
            key = try SecretFile(path: file, key: path).read()
        }
        let count = key.reveal().utf8.count
        guard count == 16 || count >= 24 else {
            let value = path == "delivery.reply.key" ? "the value" : "the key in the file"
            throw .init(
                .outOfRange,
                key: path,
                "\(path): \(value) has \(count) bytes; triple DES takes 16, or 24 and more"
            )
        }
        return key
    }
}

extension ReplyKeySource {
    /// The source that is configured; `nil` if there is none.
    init?(_ values: ResolvedConfiguration) {
        if let key = values.find("delivery.reply.key", \.secret) {
            self = .fixed(key)
        } else if let path = values.find("delivery.reply.key_file", \.text) {
            self = .file(path)
        } else {
            return nil
        }
    }
}
