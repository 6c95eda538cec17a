import IDCardApp
import IDCardCore
import Testing

/// A value for any key, made from its form, so that a new key is tested without a new test.
struct SampleValue {
    var text: String
    var yaml: String
    var value: ConfigurationValue
    /// Other keys that a rule between keys asks for beside this one.
    var companions: [String: String] = [:]

    /// A value that differs from the default where the form allows it, and breaks no rule between keys.
    static func valid(for key: ConfigurationKey, in folder: ConfigurationFolder) throws -> SampleValue {
        // The rules between keys leave less room than the range of each.
        if let file = try Self.file(for: key, in: folder) { return file }
        switch key.path {
        case "intake.business_no_from": return SampleValue("folder:2", .text("folder:2"))
        case "retry.base": return SampleValue("250ms", .duration(.milliseconds(250)))
        case "watch.retry_base": return SampleValue("250ms", .duration(.milliseconds(250)))
        case "retry.cap": return SampleValue("7s", .duration(.seconds(7)))
        case "http.connect_timeout": return SampleValue("3s", .duration(.seconds(3)))
        case "breaker.open_for": return SampleValue("5s", .duration(.seconds(5)))
        case "vault.key": return SampleValue(Self.vaultKey, .secret(Redacted(Self.vaultKey)))
        case "breaker.open_cap": return SampleValue("11s", .duration(.seconds(11)))
        case "delivery.reply.encryption":
            return SampleValue("3des-ecb", .text("3des-ecb"), companions: ["delivery.reply.key": "0123456789abcdef"])
        default: break
        }
        return Self.ofForm(key)
    }

    /// 32 bytes in Base64.
    static let vaultKey = "canary/canary/canary/canary/canary/canary/A="

    /// Keys that name a file which must be there.
    private static func file(for key: ConfigurationKey, in folder: ConfigurationFolder) throws -> SampleValue? {
        let certificate = PEMText.certificate
        if key.path == "vault.key_file" {
            let path = try folder.write(Self.vaultKey + "\n", to: "vault.key")
            return SampleValue(path, .text(path))
        }
        switch key.path.split(separator: ".").last {
        case "token_file", "key_file":
            let path = try folder.write("secret-in-a-file", to: "secret")
            return SampleValue(path, .text(path))
        case "ca_file":
            let path = try folder.write(certificate, to: "ca.pem", mode: 0o644)
            return SampleValue(path, .text(path))
        case "pinned_certificates":
            let paths = try ["pin-1.pem", "pin-2.pem"].map { try folder.write(certificate, to: $0, mode: 0o644) }
            let text = paths.joined(separator: ",")
            return SampleValue(text, yaml: "[\(text)]", .list(paths))
        case "client_certificate", "client_key":
            let paths = [
                "client_certificate": try folder.write(certificate, to: "client.pem", mode: 0o644),
                "client_key": try folder.write(PEMText.key, to: "client.key"),
            ]
            let section = key.path.split(separator: ".").dropLast().joined(separator: ".")
            let all = Dictionary(uniqueKeysWithValues: paths.map { ("\(section).\($0.key)", $0.value) })
            let path = try #require(all[key.path])
            return SampleValue(path, .text(path), companions: all.filter { $0.key != key.path })
        default: return nil
        }
    }

    private static func ofForm(_ key: ConfigurationKey) -> SampleValue {
        switch key.form {
        case .text, .headerToken, .proxy:
            let text = key.form == .proxy ? "http://me:canary@proxy.example:3128" : "sample-text"
            return SampleValue(text, key.isSecret ? .secret(Redacted(text)) : .text(text))
        case .fixedText(let bytes):
            let text = String(repeating: "7", count: bytes)
            return SampleValue(text, .text(text))
        case .path: return SampleValue("/srv/sample", .text("/srv/sample"))
        case .paths: return SampleValue("/srv/a,/srv/b", yaml: "[/srv/a, /srv/b]", .list(["/srv/a", "/srv/b"]))
        case .boolean: return SampleValue("true", .boolean(true))
        case .url:
            return SampleValue(
                "https://sample.example/x",
                EndpointURL("https://sample.example/x").map(ConfigurationValue.url)
            )
        case .integer(let range): return SampleValue("\(range.upperBound)", .integer(range.upperBound))
        case .number(let range): return SampleValue("\(range.upperBound)", .number(range.upperBound))
        case .byteCount(let range): return SampleValue("\(range.lowerBound)", .byteCount(range.lowerBound))
        case .duration(let range):
            // A lease is longer than whatever a call may take.
            return SampleValue(
                DurationText.render(range.upperBound),
                .duration(range.upperBound),
                companions: key.path == "sandbox.lease" ? [:] : ["sandbox.lease": "24h"]
            )
        case .choice(let words, _): return SampleValue(words.last ?? "", words.last.map(ConfigurationValue.text))
        case .list: return SampleValue("s1,s2", yaml: "[s1, s2]", .list(["s1", "s2"]))
        }
    }

    /// A value that the form of a key refuses.
    static func malformed(for key: ConfigurationKey) -> String {
        switch key.form {
        case .text, .path, .headerToken: "two\nlines"
        case .fixedText(let bytes): String(repeating: "x", count: bytes + 1)
        case .paths: "a,,b"
        case .boolean: "maybe"
        case .proxy: "proxy.example:3128"
        case .url: "nowhere"
        case .integer: "12.5"
        case .number: "nan"
        case .byteCount: "12 parsecs"
        case .duration: "soon"
        case .choice: "neither"
        case .list: "a,,b"
        }
    }

    private init(
        _ text: String,
        yaml: String? = nil,
        _ value: ConfigurationValue?,
        companions: [String: String] = [:]
    ) {
        self.companions = companions
        self.text = text
        self.yaml = yaml ?? text
        self.value = value ?? .text("the sample itself is wrong")
    }
}
