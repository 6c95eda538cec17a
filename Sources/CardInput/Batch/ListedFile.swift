import CardModel
import SystemPackage

/// A file on its way to become an input of a list.
struct ListedFile {
    /// How the file came to be looked at.
    enum Origin: Hashable {
        /// Its path was named on the command line: taken whatever it holds.
        case named
        /// Found in a folder or by a pattern: taken if it is an image.
        case found
        /// Named by this row of the manifest, counted from 0: taken whatever it holds.
        case row(Int)
    }

    /// What can already be said without opening the file.
    enum Finding: Hashable {
        /// A regular file; the path of the identity is the real one.
        case file(FileIdentity)
        case address
        case unusable(Message)
        /// A symbolic link that is not followed, and why.
        case strayLink(Message)
        /// Neither file nor folder, found in passing.
        case notAFile
    }

    /// The path as the user gave it, joined with the part below; or the URL.
    var source: String
    /// The real folder, then the file's own name, which may be a link: where a sidecar lies beside.
    var path: FilePath
    /// The real path of the file: two candidates with one are the same file.
    var real: FilePath
    /// The folder it was found in; `nil` if it was not found by walking into a named folder.
    var place: FolderPath?
    var origin: Origin
    var finding: Finding
    /// What was written, if nothing lies there and this is the one file that it may mean.
    var written: FilePath?

    /// - Parameter real: where the file really lies, if not at its path.
    init(
        _ source: String,
        at path: FilePath,
        real: FilePath? = nil,
        place: FolderPath? = nil,
        _ origin: Origin,
        _ finding: Finding
    ) {
        (self.source, self.path, self.real, self.place) = (source, path, real ?? path, place)
        (self.origin, self.finding) = (origin, finding)
    }

    /// The folders between the named one and it.
    var below: [String] { self.place?.folders ?? [] }

    /// The source as reports name it: a URL without user, password, query and fragment, which may be secrets.
    var shownSource: String {
        guard self.finding == .address else { return self.source }
        let address = self.source.prefix { $0 != "?" && $0 != "#" }
        guard let start = address.firstRange(of: "://")?.upperBound else { return String(address) }
        let authority = address[start...].prefix { $0 != "/" }
        guard let at = authority.lastIndex(of: "@") else { return String(address) }
        return String(address[..<start] + address[address.index(after: at)...])
    }
}

/// Where a folder lies that was walked into: below the nearest folder that the user named.
struct FolderPath: Hashable {
    /// The name of the named folder; `nil` if it has none that is certain.
    var rootName: String?
    /// The names of the folders below it, down to this one; none for the named folder itself.
    var folders: [String] = []

    /// The place of a folder in this one.
    func below(_ name: String) -> FolderPath { FolderPath(rootName: self.rootName, folders: self.folders + [name]) }
}

extension FolderPath {
    /// The place of a folder that the user named; one that is written as `.` or `..` has the name of its real path.
    init(named given: FilePath, real: FilePath) {
        let isName = given.lastComponent?.kind == .regular
        let name = isName ? given.name : real.name
        self.init(rootName: name.isEmpty || IgnoredNames.isPutAway(real) ? nil : name)
    }
}

extension CodedError {
    /// A file that is listed cannot be used; the message reads on by itself.
    static func unreadable(_ message: Message) -> CodedError { CodedError(.sourceUnreadable, .input, message) }

    /// Neither a file nor a folder was found in passing.
    static let notAFile = CodedError(.sourceUnreadable, .input, .inputNotAFile)

    /// A list has more files than it may.
    static func tooManyInputs(limit: Int) -> CodedError { CodedError(.tooManyInputs, .input, .inputTooMany(limit)) }
}
