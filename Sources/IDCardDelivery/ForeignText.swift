import Foundation

/// Free text of a foreign system, with the view of it in which values are looked for.
///
/// A value may come back in another spelling: with spaces or dashes between its characters, in full-width forms, in the
/// other case, percent-encoded. The view evens all that out and remembers which scalars of the text each of its letters
/// stands for.
struct ForeignText {
    /// One letter or digit of the view.
    struct Letter: Hashable {
        /// The scalar, folded.
        let scalar: Unicode.Scalar
        /// The scalars of the text it stands for.
        let source: Range<Int>

        /// Whether it is a digit.
        var isDigit: Bool { ("0"..."9").contains(self.scalar) }
    }

    /// How many layers of percent-encoding are taken off.
    private static let maximumDecodings = 4

    /// The text as it came.
    let scalars: [Unicode.Scalar]
    /// Its view, in order.
    let letters: [Letter]
    /// The percent-encoded bytes that are no UTF-8: nobody can say what they hold.
    let opaque: [Range<Int>]

    /// Reads a text.
    ///
    /// - Parameters:
    ///   - text: the text.
    ///   - limit: how many scalars are read at most.
    init(_ text: String, limit: Int = .max) {
        self.scalars = Array(text.unicodeScalars.prefix(limit))
        var letters = self.scalars.enumerated().map { Letter(scalar: $1, source: $0..<$0 + 1) }
        var opaque: [Range<Int>] = []
        // What was encoded twice is met, too.
        for _ in 0..<Self.maximumDecodings {
            guard let decoded = PercentRuns.decoded(letters) else { break }
            letters = decoded.letters
            opaque += decoded.opaque
        }
        self.letters = letters.flatMap(Self.folded)
        self.opaque = opaque
    }

    /// Whether something, be it only a space or a dash, stands between a letter and the one before.
    func isSeparated(before index: Int) -> Bool {
        self.letters[index].source.lowerBound > self.letters[index - 1].source.upperBound
    }

    /// A scalar in small letters, narrow and without marks; nothing for separators.
    private static func folded(_ letter: Letter) -> [Letter] {
        if letter.scalar.isASCII {
            return self.isASCIISeparator(letter.scalar)
                ? [] : [Letter(scalar: self.lower(letter.scalar), source: letter.source)]
        }
        return String(letter.scalar).decomposedStringWithCompatibilityMapping.lowercased().unicodeScalars
            .filter { !self.isSeparator($0) }
            .map { Letter(scalar: self.digit($0) ?? $0, source: letter.source) }
    }

    private static func lower(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        ("A"..."Z").contains(scalar) ? Unicode.Scalar(UInt8(scalar.value) | 0x20) : scalar
    }

    /// The ASCII digit of a decimal digit in any script.
    private static func digit(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
        guard scalar.properties.numericType == .decimal, let value = scalar.properties.numericValue else { return nil }
        return Unicode.Scalar(UInt8(ascii: "0") + UInt8(value))
    }

    /// What ``isSeparator(_:)`` says of an ASCII scalar; nearly all are, and looking a category up takes long.
    static func isASCIISeparator(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "0"..."9", "A"..."Z", "a"..."z", "$", "^", "`": false
        default: true
        }
    }

    /// Whether a scalar separates and is not read: white space, punctuation, marks and what joins like them.
    static func isSeparator(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator: true
        case .connectorPunctuation, .dashPunctuation, .otherPunctuation: true
        case .openPunctuation, .closePunctuation, .initialPunctuation, .finalPunctuation: true
        case .nonspacingMark, .enclosingMark: true
        // A plus is a space of a form, a minus a dash, a tilde one of a period.
        case .mathSymbol: true
        default: false
        }
    }
}
