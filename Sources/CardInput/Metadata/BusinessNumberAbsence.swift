import CardModel

/// Why the path of an image gives no business number.
enum BusinessNumberAbsence: Hashable {
    /// Nobody walked into its folder: the image is named itself, by a pattern or by a row of a manifest.
    case notWalked
    /// It lies directly in the named folder.
    case inRoot
    /// It lies so many folders below the named one, more than one.
    case tooDeep(Int)
    /// It lies above the folder whose name is asked for.
    case tooShallow(level: Int)
    /// The pattern does not match.
    case noMatch
    /// The name of the folder is never a number, or the folder has no one name.
    case neverNumber
    /// Paths give none.
    case turnedOff

    /// What a person may do, without the path itself: the option that takes the image is among it.
    var error: CodedError {
        CodedError(
            .businessNumberMissing,
            .input,
            "no business number: " + self.words
                + """
                ; or give one in the column business_no of a manifest, in a sidecar (IMAGE.json beside IMAGE) or by \
                --business-no
                """
        )
    }

    private var words: Message {
        switch self {
        case .notWalked:
            """
            an image that is named itself, by a pattern or in a manifest takes none from its folder; name the folder \
            above that of its case, or set --business-no-from pattern:REGEX to read it from the name of the file
            """
        case .inRoot:
            """
            a folder that is named lends none to the images directly in it; if its own name is the number, set \
            --business-no-from root (intake.business_no_from)
            """
        case .tooDeep(let count):
            """
            the image lies \(count) folders below the one that is named; set --business-no-from folder:1 \
            (intake.business_no_from) if the first of them is named after the case, folder:\(count) if the last one is
            """
        case .tooShallow(let level):
            """
            the image lies fewer than \(level) folders below the one that is named, and folder:\(level) asks for that \
            one; move it, or set another --business-no-from (intake.business_no_from)
            """
        case .noMatch:
            "the pattern of --business-no-from (intake.business_no_from) finds none in its path below the named folder"
        case .neverNumber:
            """
            its folder has the name of a new folder (New folder), of a copy, of a system folder or of what was put \
            away (done, failed), or no one name; name the folder after the case
            """
        case .turnedOff: "paths give none (--business-no-from none, or intake.business_no_from)"
        }
    }
}
