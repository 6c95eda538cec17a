package import CardModel
import Synchronization

/// Which part of an image's path is its business number, where manifest, sidecar and option give none
/// (`--business-no-from`, `intake.business_no_from`).
///
/// Only folders that were walked into from a named one count. An image that is named itself, by a pattern of the
/// command line or by a row of a manifest has no folder, whatever its path says.
package enum BusinessNumberRule: Sendable {
    /// The folder directly below the named one, for images directly in it.
    case folder
    /// The folder so many levels below the named one, for images at any depth in it.
    case level(Int)
    /// The named folder, for all images in it.
    case root
    /// What a regular expression finds in the path below the named folder; in the name of an image that is named
    /// itself.
    case pattern(BusinessNumberPattern)
    /// None.
    case none

    /// Whether folders below the named one are cases, each with photos of its number alone.
    var isOfFolders: Bool {
        switch self {
        case .folder, .level: true
        case .root, .pattern, .none: false
        }
    }

    /// Reads a rule.
    ///
    /// - Throws: `business_no_from_invalid`; the message reads on after the name of the option or key.
    package init(_ text: String) throws(CodedError) {
        switch text {
        case "folder": self = .folder
        case "root": self = .root
        case "none": self = .none
        case let text where text.hasPrefix("folder:"):
            let level = text.dropFirst("folder:".count)
            guard level.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let level = Int(level),
                InputLimits.levels.contains(level)
            else {
                throw Self.invalid(
                    """
                    has a level that is not a whole number from \(InputLimits.levels.lowerBound) to \
                    \(InputLimits.levels.upperBound), as in folder:2
                    """
                )
            }
            self = .level(level)
        case let text where text.hasPrefix("pattern:"):
            self = .pattern(try BusinessNumberPattern(String(text.dropFirst("pattern:".count))))
        default: throw Self.invalid("must be root, folder, folder:LEVEL, pattern:REGEX or none")
        }
    }

    fileprivate static func invalid(_ message: Message) -> CodedError {
        CodedError(.businessNumberRuleInvalid, .configuration, message)
    }

    /// Returns what the path of an image gives as its number, not yet looked at, and by what.
    ///
    /// - Throws: `business_no_missing`.
    func text(_ candidate: Candidate) throws(CodedError) -> (String, FieldOrigin) {
        switch self {
        case .none: throw Self.missing("paths give none (intake.business_no_from, or to run --business-no-from none)")
        case .pattern(let pattern):
            let folders = candidate.place?.folders ?? []
            guard let found = pattern.number(in: folders.joined(separator: "/"), candidate.path.name) else {
                throw Self.missing(
                    """
                    the pattern of intake.business_no_from (to run: --business-no-from) finds none in its path below the \
                    named folder
                    """
                )
            }
            return found
        case .folder, .level, .root: break
        }
        guard let place = candidate.place else {
            throw Self.missing(
                """
                an image that is named itself, by a pattern or in a manifest takes none from its folder; name the \
                folder above that of its case, or set --business-no-from pattern:REGEX to read it from the name of \
                the file
                """
            )
        }
        return (try self.folder(in: place), .folder)
    }

    private func folder(in place: FolderPlace) throws(CodedError) -> String {
        switch self {
        case .root:
            guard let name = place.rootName else {
                throw Self.missing("the named folder has no one name, or holds files that were put away")
            }
            return name
        case .level(let level):
            guard place.folders.count >= level else {
                throw Self.missing(
                    """
                    the image lies fewer than \(level) folders below the one that is named, and folder:\(level) asks \
                    for that one; move it, or set another intake.business_no_from (to run: --business-no-from)
                    """
                )
            }
            return place.folders[level - 1]
        default:
            guard let name = place.folders.first else {
                throw Self.missing(
                    """
                    a folder that is named lends none to the images directly in it; if its own name is the number, set \
                    intake.business_no_from to root (to run: --business-no-from root)
                    """
                )
            }
            let count = place.folders.count
            guard count == 1 else {
                throw Self.missing(
                    """
                    the image lies \(count) folders below the one that is named; set intake.business_no_from (to run: \
                    --business-no-from folder:1) to folder:1 if the first of them is named after the case, to \
                    folder:\(count) if the last one is
                    """
                )
            }
            return name
        }
    }

    /// Describes why no number is known, and what a person may do; without the path itself.
    static func missing(_ why: Message) -> CodedError {
        CodedError(
            .businessNumberMissing,
            .input,
            "no business number: " + why
                + """
                ; or give one in a sidecar (IMAGE.json beside IMAGE) or, to run, in the column business_no of a manifest \
                or by --business-no
                """
        )
    }
}

/// A regular expression that finds the business number in the path of an image.
package final class BusinessNumberPattern: Sendable {
    /// The group that is the number if there are several.
    private static let groupName = "business_no"

    // `Regex` is not `Sendable`.
    private let regex: Mutex<Regex<AnyRegexOutput>>
    private let group: Int

    /// Takes an expression with one capture group, or one of several that is named `business_no`.
    init(_ text: String) throws(CodedError) {
        let groups: [String?]
        do {
            self.regex = Mutex(try Regex(text))
            // It matches the empty text, and a match names all groups.
            let probe = try Regex("(?:\(text))|").firstMatch(in: "")
            groups = probe?.output.dropFirst().map(\.name) ?? []
        } catch {
            throw BusinessNumberRule.invalid(
                "has a pattern that is no regular expression (\(String(describing: error)))"
            )
        }
        guard let group = groups.count == 1 ? 0 : groups.firstIndex(of: Self.groupName) else {
            throw BusinessNumberRule.invalid(
                """
                has a pattern with \(groups.count) groups; it needs one around the business number, as in \
                pattern:^([^/]+)/, or one of them named (?<\(Self.groupName)>…)
                """
            )
        }
        self.group = group + 1
    }

    /// Returns the number in a path, and whether folder or file name gives it; `nil` if the expression does not match,
    /// or its group is blank.
    func number(in folders: String, _ name: String) -> (String, FieldOrigin)? {
        let path = folders.isEmpty ? name : folders + "/" + name
        return self.regex.withLock { regex -> (String, FieldOrigin)? in
            // An expression that fails on a path has not matched it.
            guard let match = try? regex.firstMatch(in: path), let range = match.output[self.group].range else {
                return nil
            }
            let number = path[range].trimmed
            guard !number.isEmpty else { return nil }
            let isFile = path.utf8.distance(from: path.startIndex, to: range.lowerBound) >= folders.utf8.count
            return (number, isFile ? .filename : .folder)
        }
    }
}
