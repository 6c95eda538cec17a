import CardModel
import SystemPackage

/// A listed file that may become an input.
struct ListedFile {
    /// How the file was found.
    enum Origin: Hashable {
        /// Named on the command line: an input whatever its content.
        case named
        /// Found in a folder or by a pattern: an input if it is an image.
        case found
        /// Named by this row of the manifest, counted from 0: an input whatever its content.
        case row(Int)
    }

    /// What is known without opening the file.
    enum Finding: Hashable {
        /// A regular file; its identity has the real path.
        case file(FileIdentity)
        case address
        case unusable(Message)
        /// A symbolic link that is not followed; the reason.
        case strayLink(Message)
        /// Neither a file nor a folder, found while listing.
        case notAFile
    }

    /// The user's path, in a walked folder joined with the path below that folder; or the URL.
    var source: String
    /// The real path of the folder, joined with the file's own name, which may be a link; the sidecar lies beside this path.
    var path: FilePath
    /// The real path of the file: two candidates with the same real path are the same file.
    var real: FilePath
    /// The folder in which walking a named folder found it, else `nil`.
    var folderPath: FolderPath?
    var origin: Origin
    var finding: Finding
    /// The path as written, if it does not exist and this file is the only one with a similar path.
    var written: FilePath?

    /// - Parameter real: the real path of the file, if it differs.
    init(
        _ source: String,
        at path: FilePath,
        real: FilePath? = nil,
        folderPath: FolderPath? = nil,
        _ origin: Origin,
        _ finding: Finding
    ) {
        (self.source, self.path, self.real, self.folderPath) = (source, path, real ?? path, folderPath)
        (self.origin, self.finding) = (origin, finding)
    }

    /// The folders between the named one and the file.
    var below: [String] { self.folderPath?.folders ?? [] }

    /// The source for reports: a URL without user, password, query and fragment, which may be secrets.
    var shownSource: String {
        guard self.finding == .address else { return self.source }
        let address = self.source.prefix { $0 != "?" && $0 != "#" }
        guard let start = address.firstRange(of: "://")?.upperBound else { return String(address) }
        let authority = address[start...].prefix { $0 != "/" }
        guard let at = authority.lastIndex(of: "@") else { return String(address) }
        return String(address[..<start] + address[address.index(after: at)...])
    }
}

/// The position of a walked folder below the nearest folder that the user named.
struct FolderPath: Hashable {
    /// The name of the named folder; `nil` if it is ambiguous.
    var rootName: String?
    /// The names of the folders below it, down to this one; empty for the named folder itself.
    var folders: [String] = []

    /// Returns the position of a folder in this one.
    func below(_ name: String) -> FolderPath { FolderPath(rootName: self.rootName, folders: self.folders + [name]) }
}

extension FolderPath {
    /// Makes the position of a named folder; `.` or `..` gets the name of its real path.
    init(named given: FilePath, real: FilePath) {
        let isName = given.lastComponent?.kind == .regular
        let name = isName ? given.name : real.name
        self.init(rootName: name.isEmpty || IgnoredNames.isArchive(real) ? nil : name)
    }
}

extension CodedError {
    /// A listed file cannot be used; the message is a whole sentence.
    static func unreadable(_ message: Message) -> CodedError { CodedError(.sourceUnreadable, .input, message) }

    /// A path or pattern of the command line cannot be used.
    static func unreadable(input message: Message) -> CodedError { CodedError(.inputUnreadable, .input, message) }

    /// Something other than a file or folder was found while listing.
    static let notAFile = CodedError(.sourceUnreadable, .input, .inputNotAFile)

    /// A list exceeds the limit of files.
    static func tooManyInputs(limit: Int) -> CodedError { CodedError(.tooManyInputs, .input, .inputTooMany(limit)) }
}
