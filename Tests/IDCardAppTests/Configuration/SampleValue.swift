import IDCardApp
import IDCardCore

/// A value for any key, made from its form, so that a new key is tested without a new test.
struct SampleValue {
    var text: String
    var yaml: String
    var value: ConfigurationValue

    /// A value that differs from the default where the form allows it, and breaks no rule between keys.
    static func valid(for key: ConfigurationKey, in folder: ConfigurationFolder) throws -> SampleValue {
        // The rules between keys leave less room than the range of each.
        switch key.path {
        case "retry.base": return SampleValue("250ms", .duration(.milliseconds(250)))
        case "retry.cap": return SampleValue("7s", .duration(.seconds(7)))
        case "http.connect_timeout": return SampleValue("3s", .duration(.seconds(3)))
        case "delivery.token_file":
            let path = try folder.write("token-in-a-file", to: "token")
            return SampleValue(path, .text(path))
        default: break
        }
        switch key.form {
        case .text:
            let text = "sample-text"
            return SampleValue(text, key.isSecret ? .secret(Redacted(text)) : .text(text))
        case .path: return SampleValue("/srv/sample", .text("/srv/sample"))
        case .url:
            return SampleValue(
                "https://sample.example/x",
                EndpointURL("https://sample.example/x").map(ConfigurationValue.url)
            )
        case .integer(let range): return SampleValue("\(range.upperBound)", .integer(range.upperBound))
        case .number(let range): return SampleValue("\(range.upperBound)", .number(range.upperBound))
        case .byteCount(let range): return SampleValue("\(range.lowerBound)", .byteCount(range.lowerBound))
        case .duration(let range):
            return SampleValue(DurationText.render(range.upperBound), .duration(range.upperBound))
        case .choice(let words, _): return SampleValue(words.last ?? "", words.last.map(ConfigurationValue.text))
        case .list: return SampleValue("s1,s2", yaml: "[s1, s2]", .list(["s1", "s2"]))
        }
    }

    /// A value that the form of a key refuses; `nil` if it takes any text of one line.
    static func malformed(for key: ConfigurationKey) -> String {
        switch key.form {
        case .text, .path: "two\nlines"
        case .url: "nowhere"
        case .integer: "12.5"
        case .number: "nan"
        case .byteCount: "12 parsecs"
        case .duration: "soon"
        case .choice: "neither"
        case .list: "a,,b"
        }
    }

    private init(_ text: String, yaml: String? = nil, _ value: ConfigurationValue?) {
        self.text = text
        self.yaml = yaml ?? text
        self.value = value ?? .text("the sample itself is wrong")
    }
}
