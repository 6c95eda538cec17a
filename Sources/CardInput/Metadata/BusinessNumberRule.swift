package import CardModel
import Synchronization

/// Which part of an image's path is its business number (`--business-no-from`, `intake.business_no_from`).
///
/// It applies unless a manifest, sidecar or option gives a number.
///
/// Only folders found by walking a named folder count. An image named by its own path, by a pattern of the command line or by a
/// row of a manifest has no folder, whatever its path.
package enum BusinessNumberRule: Sendable {
    /// The folder directly below the named one, for images directly in it.
    case folder
    /// The folder at this level below the named one, for images at any depth in it.
    case level(Int)
    /// The named folder, for all images in it.
    case root
    /// The match of a regular expression in the path below the named folder; for an image named by its own path, in its name.
    case pattern(BusinessNumberPattern)
    case none

    /// Whether each folder below the named one is a case, and has photos of only one number.
    var foldersAreCases: Bool {
        switch self {
        case .folder, .level: true
        case .root, .pattern, .none: false
        }
    }

    /// - Throws: `business_no_from_invalid`; the message continues the name of the option or key.
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
                throw Self.invalid(.numberRuleLevel(InputLimits.levels))
            }
            self = .level(level)
        case let text where text.hasPrefix("pattern:"):
            self = .pattern(try BusinessNumberPattern(String(text.dropFirst("pattern:".count))))
        default: throw Self.invalid(.numberRuleUnknown)
        }
    }

    fileprivate static func invalid(_ message: Message) -> CodedError {
        CodedError(.businessNumberRuleInvalid, .configuration, message)
    }

    /// Returns the part of a path that is the business number, not yet checked, and its origin.
    ///
    /// - Throws: `business_no_missing`.
    func text(_ candidate: ListedFile) throws(CodedError) -> (String, FieldOrigin) {
        switch self {
        case .none: throw Self.missing(.noNumberRuleNone)
        case .pattern(let pattern):
            guard let found = pattern.number(in: candidate.below.joined(separator: "/"), candidate.path.name) else {
                throw Self.missing(.noNumberPattern)
            }
            return found
        case .folder, .level, .root:
            guard let folderPath = candidate.folderPath else { throw Self.missing(.noNumberNamedPhoto) }
            return (try self.folder(in: folderPath), .folder)
        }
    }

    /// Returns the name of the folder that is the business number.
    private func folder(in folderPath: FolderPath) throws(CodedError) -> String {
        switch self {
        case .root:
            guard let name = folderPath.rootName else { throw Self.missing(.noNumberRoot) }
            return name
        case .level(let level):
            guard folderPath.folders.count >= level else { throw Self.missing(.noNumberTooShallow(level)) }
            return folderPath.folders[level - 1]
        default:
            guard let name = folderPath.folders.first else { throw Self.missing(.noNumberInNamedFolder) }
            let count = folderPath.folders.count
            guard count == 1 else { throw Self.missing(.noNumberTooDeep(count)) }
            return name
        }
    }

    /// Returns the error of a missing number, with the remedy; without the path itself.
    static func missing(_ why: Message) -> CodedError {
        CodedError(.businessNumberMissing, .input, .noNumberMissing(why))
    }
}

/// A regular expression that finds the business number in the path of an image.
package final class BusinessNumberPattern: Sendable {
    /// The name of the group that is the number if there are several.
    private static let groupName = "business_no"

    // `Regex` is not `Sendable`.
    private let regex: Mutex<Regex<AnyRegexOutput>>
    private let group: Int

    /// Compiles an expression with one capture group, or with several of which one is named `business_no`.
    init(_ text: String) throws(CodedError) {
        let groups: [String?]
        do {
            self.regex = Mutex(try Regex(text))
            // This expression matches the empty text, and a match lists all groups.
            let probe = try Regex("(?:\(text))|").firstMatch(in: "")
            groups = probe?.output.dropFirst().map(\.name) ?? []
        } catch {
            throw BusinessNumberRule.invalid(.numberRuleRegex(String(describing: error)))
        }
        guard let group = groups.count == 1 ? 0 : groups.firstIndex(of: Self.groupName) else {
            throw BusinessNumberRule.invalid(.numberRuleGroups(groups.count, Self.groupName))
        }
        self.group = group + 1
    }

    /// Returns the number in a path, and whether folder or file name contains it; `nil` without a match, or for a blank group.
    func number(in folders: String, _ name: String) -> (String, FieldOrigin)? {
        let path = folders.isEmpty ? name : folders + "/" + name
        return self.regex.withLock { regex -> (String, FieldOrigin)? in
            // An error of the expression counts as no match.
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
