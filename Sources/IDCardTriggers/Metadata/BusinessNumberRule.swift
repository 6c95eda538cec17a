/// Which part of an image's path is its business number, where manifest, sidecar and option give none
/// (`--business-no-from`, `intake.business_no_from`).
///
/// Only folders that were walked into from a named one count. An image that is named itself, by a pattern of the command
/// line or by a row of a manifest has no folder, whatever its path says.
package enum BusinessNumberRule: Sendable {
    /// The folder directly below the named one, for images directly in it.
    case folder
    /// The folder so many levels below the named one, for images at any depth in it.
    case level(Int)
    /// The named folder, for all images in it.
    case root
    /// What a regular expression finds in the path below the named folder; in the name of an image that is named itself.
    case pattern(BusinessNumberPattern)
    /// None.
    case none

    /// Why a text is no rule.
    package struct Problem: Error, Hashable, Sendable {
        /// Reads on after the name of the option or key.
        package var words: String
    }

    /// The levels that can be given.
    package static let levels = 1...64
    /// How a rule is written.
    package static let forms = "root, folder, folder:LEVEL, pattern:REGEX or none"

    /// Reads a rule.
    package init(_ text: String) throws(Problem) {
        switch text {
        case "folder": self = .folder
        case "root": self = .root
        case "none": self = .none
        case let text where text.hasPrefix("folder:"):
            let level = text.dropFirst("folder:".count)
            guard level.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let level = Int(level), Self.levels.contains(level)
            else {
                throw Problem(
                    words: "has a level that is not a whole number from \(Self.levels.lowerBound) to "
                        + "\(Self.levels.upperBound), as in folder:2"
                )
            }
            self = .level(level)
        case let text where text.hasPrefix("pattern:"):
            self = .pattern(try BusinessNumberPattern(String(text.dropFirst("pattern:".count))))
        default: throw Problem(words: "must be \(Self.forms)")
        }
    }
}

extension BusinessNumberRule {
    /// What a path says.
    enum Reading: Hashable {
        case number(String, MetadataOrigin)
        case absent(BusinessNumberAbsence)
    }

    /// Reads the path of an image.
    ///
    /// - Parameters:
    ///   - name: the name of the file.
    ///   - place: the folder it lies in; `nil` if nobody walked into it.
    ///   - putAway: the folders that lend no name.
    func read(_ name: String, in place: FolderPlace?, putAway: PutAwayFolders) -> Reading {
        switch self {
        case .none: return .absent(.turnedOff)
        case .pattern(let pattern):
            let path = ((place?.folders ?? []) + [name]).joined(separator: "/")
            return pattern.number(in: path).map { .number($0, .pattern) } ?? .absent(.noMatch)
        case .folder, .level, .root: break
        }
        guard let place else { return .absent(.notWalked) }
        let (found, origin): (String, MetadataOrigin)
        switch self {
        case .root:
            guard let name = place.rootName else { return .absent(.putAway) }
            (found, origin) = (name, .root)
        case .level(let level):
            guard place.folders.count >= level else { return .absent(.tooShallow(level: level)) }
            (found, origin) = (place.folders[level - 1], .folder)
        default:
            guard let name = place.folders.first else { return .absent(.inRoot) }
            guard place.folders.count == 1 else { return .absent(.tooDeep(place.folders.count)) }
            (found, origin) = (name, .folder)
        }
        return putAway.lends(found) ? .number(found, origin) : .absent(.putAway)
    }
}
