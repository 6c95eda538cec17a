import CardModel
import Foundation
import SystemPackage

/// The sidecar of an image: a JSON object in a file beside it, named after the whole file name, so `front.jpg.json` for
/// `front.jpg`; upper and lower case do not matter.
///
/// Its keys are the columns of a manifest; `path` is ignored. It must be a regular file, not a link.
enum Sidecar {
    enum Location {
        /// Beside the photo, if it has one.
        case beside
        /// At this real path.
        case at(FilePath)
        case missing
    }

    /// The suffix after the image's file name.
    static let suffix = ".json"

    /// Reads a sidecar; `nil` if there is none.
    ///
    /// - Throws: `CodedError` with `sidecar_invalid`, or the error of a field.
    static func fields(at path: FilePath) throws(CodedError) -> SubmittedFields? {
        guard let data = try self.contents(at: path) else { return nil }
        let record: Record
        do {
            record = try Record(json: TableText.withoutByteOrderMark(data))
        } catch {
            throw self.invalid(error.message)
        }
        do throws(CodedError) {
            guard record.duplicates.isEmpty else { throw record.duplicate }
            return try SubmittedFields(record.fields)
        } catch {
            throw CodedError(error.code, error.kind, .sidecarField(error.message))
        }
    }

    private static func contents(at path: FilePath) throws(CodedError) -> Data? {
        do {
            return try OpenFile(path, followingLinks: false).contents(limit: InputLimits.sidecarBytes)
        } catch {
            // A name too long for the suffix cannot have a sidecar.
            if case .system(let code) = error, code.isAbsence || code == .fileNameTooLong { return nil }
            throw self.invalid(error.message(limit: InputLimits.sidecarBytes))
        }
    }

    private static func invalid(_ reason: Message) -> CodedError {
        CodedError(.sidecarInvalid, .input, .sidecarUnusable(reason))
    }

    // MARK: Names

    /// Returns the name of a photo's sidecar, if any.
    ///
    /// - Throws: `sidecar_invalid` if there are several, or if a file merely looks like its sidecar.
    static func name(_ match: SidecarNames.Match) throws(CodedError) -> String? {
        if let stray = match.strays.first { throw CodedError(.sidecarInvalid, .input, .sidecarName(stray)) }
        guard match.names.count < 2 else {
            throw CodedError(.sidecarInvalid, .input, .sidecarTwice(match.names.joined(separator: ", ")))
        }
        return match.names.first
    }

    /// Returns the image that a path is the sidecar of; `nil` if it is not named like one.
    static func image(of path: FilePath) -> FilePath? {
        guard let image = self.base(of: path.name).flatMap({ FilePath.Component($0) }) else { return nil }
        return path.removingLastComponent().appending(image)
    }

    /// Whether a path is named like the sidecar of an existing image.
    static func belongs(_ path: FilePath) -> Bool {
        self.image(of: path).map { (try? $0.status(followingLinks: true)) != nil } ?? false
    }

    /// Returns the file name that a sidecar belongs to; `nil` if the name is not that of a sidecar.
    static func base(of name: String) -> String? {
        let suffix = name.utf8.suffix(self.suffix.utf8.count)
        guard suffix.count < name.utf8.count, String(Substring(suffix)).lowercased() == self.suffix else { return nil }
        return String(Substring(name.utf8.dropLast(suffix.count)))
    }
}

/// The names of sidecars in a folder, and names that look like them.
///
/// Programs and people write `front.jpg.JSON`, `Front.jpg.json` and `front.json` for the sidecar of `front.jpg`. The first two
/// are read: upper and lower case do not matter. The third is not a sidecar, nor are `front.jpg.json.txt` and `front
/// (1).jpg.json`, which editors and browsers make. Beside a file of such a name the photo is refused, because a photo must not
/// be sent without the values it should be checked against.
struct SidecarNames {
    /// The files beside a photo that concern it.
    struct Match: Hashable, Sendable {
        /// The names of its sidecar; more than one is an error.
        var names: [String] = []
        /// The names that look like its sidecar.
        var strays: [String] = []
        /// Whether a file beside the photo marks it as an unfinished download.
        var isUnfinished = false
    }

    private struct Name {
        var name: String
        /// The name of the photo that it belongs to.
        var base: String
        /// Whether a file beside it has exactly this name.
        var isExact: Bool
    }

    private var byBase: [String: [Name]] = [:]
    private var strays: [String: [String]] = [:]
    private let unfinished: Set<String>

    init(_ names: [FilePath.Component]) {
        self.unfinished = Set(names.compactMap { IgnoredNames.unfinished(by: $0.text) })
        for name in names where name.text.lowercased().hasSuffix(Sidecar.suffix + ".txt") {
            let key = String(name.text.lowercased().dropLast(4 + Sidecar.suffix.count))
            self.strays[key, default: []].append(name.text)
        }
        let sidecars = names.compactMap { name in Sidecar.base(of: name.text).map { (name: name.text, base: $0) } }
        guard !sidecars.isEmpty else { return }
        let all = Set(names.map(\.text))
        let lowered = Set(all.map { $0.lowercased() })
        for (name, base) in sidecars {
            let key = base.lowercased()
            if lowered.contains(key) {
                self.byBase[key, default: []].append(Name(name: name, base: base, isExact: all.contains(base)))
            } else {
                // Also without the number that a browser adds.
                for key in Set([key, key.replacing(#/ ?\(\d+\)/#, with: "")]) {
                    self.strays[key, default: []].append(name)
                }
            }
        }
    }

    /// Returns the files beside a photo that concern it; a sidecar named exactly after another file belongs to that one.
    func match(_ photo: String) -> Match {
        let names = self.byBase[photo.lowercased(), default: []].filter { $0.base == photo || !$0.isExact }.map(\.name)
        var match = Match(names: names, isUnfinished: self.unfinished.contains(photo.lowercased()))
        guard names.isEmpty, let stem = FilePath.Component(photo)?.stem else { return match }
        match.strays = [stem, photo].flatMap { self.strays[$0.lowercased(), default: []] }
        return match
    }

    /// Whether a name is that of a sidecar of a file beside it.
    func belongs(_ name: String) -> Bool { Sidecar.base(of: name).map { self.byBase[$0.lowercased()] != nil } ?? false }
}
