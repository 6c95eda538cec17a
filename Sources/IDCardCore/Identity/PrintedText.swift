import Foundation

/// Text as a reader or a person wrote it, folded so that only what it says counts.
enum PrintedText {
    /// Folds full-width and other compatibility forms (NFKC) and takes away white space and invisible characters.
    static func folded(_ raw: String) -> String {
        let compatible = raw.precomposedStringWithCompatibilityMapping.unicodeScalars.filter { scalar in
            !scalar.properties.isWhitespace && !scalar.properties.isDefaultIgnorableCodePoint
        }
        return String(String.UnicodeScalarView(compatible))
    }

    /// Whether there is nothing to read.
    static func isBlank(_ raw: Redacted<String>?) -> Bool {
        raw.map { self.folded($0.reveal()).isEmpty } ?? true
    }
}
