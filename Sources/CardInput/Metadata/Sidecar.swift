import CardModel
import Foundation
import SystemPackage

/// The sidecar of an image: a JSON object in a file beside it, named after the whole file name, so `front.jpg.json` for
/// `front.jpg`; upper and lower case do not matter.
///
/// Its keys are the columns of a manifest; `path` may be there and means nothing. It must be a regular file, not a
/// link.
enum Sidecar {
    /// Where the sidecar of a photo is.
    enum Place {
        /// Beside the photo, if it has one.
        case beside
        /// At this real path.
        case at(FilePath)
        case missing
    }

    /// What is put after the image's file name.
    static let suffix = ".json"

    /// Reads a sidecar; `nil` if it is not there.
    ///
    /// - Throws: `CodedError` with `sidecar_invalid`, or what is wrong with a field.
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
            // Of a name that leaves no room for the suffix, there is no such file either.
            if case .system(let code) = error, code.isAbsence || code == .fileNameTooLong { return nil }
            throw self.invalid(error.message(limit: InputLimits.sidecarBytes))
        }
    }

    private static func invalid(_ reason: Message) -> CodedError {
        CodedError(.sidecarInvalid, .input, .sidecarUnusable(reason))
    }

    // MARK: Names

    /// The name of the one sidecar that lies beside a photo, if any.
    ///
    /// - Throws: `sidecar_invalid` if there are several, or if something looks like its sidecar and is none.
    static func name(_ match: SidecarNames.Match) throws(CodedError) -> String? {
        if let stray = match.strays.first { throw CodedError(.sidecarInvalid, .input, .sidecarName(stray)) }
        guard match.names.count < 2 else {
            throw CodedError(.sidecarInvalid, .input, .sidecarTwice(match.names.joined(separator: ", ")))
        }
        return match.names.first
    }

    /// The image whose sidecar a path names; `nil` if it is not named like one.
    static func image(of path: FilePath) -> FilePath? {
        guard let image = self.base(of: path.name).flatMap({ FilePath.Component($0) }) else { return nil }
        return path.removingLastComponent().appending(image)
    }

    /// Whether a path is named like a sidecar and the image is there.
    static func belongs(_ path: FilePath) -> Bool {
        self.image(of: path).map { (try? $0.status(followingLinks: true)) != nil } ?? false
    }

    /// The name that a sidecar is named after; `nil` if the name is not that of one.
    static func base(of name: String) -> String? {
        let suffix = name.utf8.suffix(self.suffix.utf8.count)
        guard suffix.count < name.utf8.count, String(Substring(suffix)).lowercased() == self.suffix else { return nil }
        return String(Substring(name.utf8.dropLast(suffix.count)))
    }
}

/// The names in a folder that are those of sidecars, or look so.
///
/// Programs and people write `front.jpg.JSON`, `Front.jpg.json` and `front.json` for the sidecar of `front.jpg`. The
/// first two are read: upper and lower case do not matter. The third is none, nor are `front.jpg.json.txt` and
/// `front (1).jpg.json`, which editors and browsers make; and a photo must not go out without what
/// it was to be checked against: it refuses the photo.
struct SidecarNames {
    /// What lies beside a photo.
    struct Match: Hashable, Sendable {
        /// The names of its sidecar; more than one is an error.
        var names: [String] = []
        /// What looks like its sidecar and is none.
        var strays: [String] = []
        /// Whether a file beside it says that its download is not finished.
        var isUnfinished = false
    }

    private struct Name {
        var name: String
        /// What it is named after.
        var base: String
        /// Whether a file beside it has this very name.
        var isExact: Bool
    }

    private var byBase: [String: [Name]] = [:]
    private var strays: [String: [String]] = [:]
    private let unfinished: Set<String>

    init(_ names: [FilePath.Component]) {
        self.unfinished = Set(names.compactMap { IgnoredNames.unfinished(by: $0.text) })
        for name in names where name.text.lowercased().hasSuffix(Sidecar.suffix + ".txt") {
            self.strays[String(name.text.lowercased().dropLast(4 + Sidecar.suffix.count)), default: []].append(
                name.text
            )
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
                // Without the number that a browser adds, too.
                for key in Set([key, key.replacing(#/ ?\(\d+\)/#, with: "")]) {
                    self.strays[key, default: []].append(name)
                }
            }
        }
    }

    /// Returns what lies beside a photo; one that is named exactly after another file is the sidecar of that one.
    func match(_ photo: String) -> Match {
        let names = self.byBase[photo.lowercased(), default: []].filter { $0.base == photo || !$0.isExact }.map(\.name)
        var match = Match(names: names, isUnfinished: self.unfinished.contains(photo.lowercased()))
        guard names.isEmpty, let stem = FilePath.Component(photo)?.stem else { return match }
        match.strays = [stem, photo].flatMap { self.strays[$0.lowercased(), default: []] }
        return match
    }

    /// Whether a name is that of the sidecar of a file beside it.
    func belongs(_ name: String) -> Bool { Sidecar.base(of: name).map { self.byBase[$0.lowercased()] != nil } ?? false }
}
