/// Names and values in the text format of Prometheus (version 0.0.4).
enum MetricName {
    /// What is left of a label of ours: letters, digits and `_`.
    static func safe(_ text: String) -> String {
        let name = String(
            text.unicodeScalars.map { scalar in
                let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || 0x30...0x39 ~= scalar.value)
                return isPlain ? Character(scalar) : "_"
            }
        )
        guard let first = name.first else { return "_" }
        return first.isNumber ? "_" + name : name
    }

    /// A value of a label within its quotes.
    static func quoted(_ text: String) -> String {
        text.map { character in
            switch character {
            case "\\": "\\\\"
            case "\"": "\\\""
            case "\n": "\\n"
            default: String(character)
            }
        }
        .joined()
    }

    /// A figure: whole ones without a point.
    static func figure(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        return Int64(exactly: value).map(String.init) ?? "\(value)"
    }
}
