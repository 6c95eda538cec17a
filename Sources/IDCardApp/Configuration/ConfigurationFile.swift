import Configuration
import Foundation
import IDCardCore
import Synchronization
import SystemPackage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The YAML file: found, read within a limit and taken apart.
struct ConfigurationFile: Sendable {
    /// Most bytes that are read.
    static let maximumBytes = 1 << 20

    /// Where it lies.
    let path: String
    /// Its values; `nil` if it holds only comments.
    let snapshot: (any ConfigSnapshot)?
    /// The paths it sets, in no order; a path it sets twice is there twice.
    let paths: [String]
    /// Whether group or others may read it.
    let isReadableByOthers: Bool

    /// Decides which file to read: the one named, else `IDCARD_CONFIG`, else the one in the user's configuration folder
    /// if it exists.
    ///
    /// A file in the working directory is never picked up by itself: it may be the sample of a project checkout.
    static func locate(named: String?, environment: [String: String]) -> String? {
        let directories = UserDirectories(environment: environment)
        for explicit in [named, environment[Self.variable]] {
            if let explicit, !explicit.isEmpty { return directories.expand(explicit) }
        }
        guard let usual = directories.configurationFile else { return nil }
        return access(usual, F_OK) == 0 ? usual : nil
    }

    /// The variable that names the file.
    static let variable = "IDCARD_CONFIG"

    /// Reads a file.
    ///
    /// - Throws: `fileUnreadable`, `fileMalformed`; the message never quotes the file, which holds secrets.
    init(path: String) throws(ConfigurationError.Problem) {
        self.path = path
        let (bytes, isReadableByOthers) = try Self.read(path)
        self.isReadableByOthers = isReadableByOthers
        guard let text = String(data: bytes, encoding: .utf8) else {
            throw .init(.fileMalformed, "the configuration file \(path) is not UTF-8 text")
        }
        guard Self.holdsValues(text) else {
            self.snapshot = nil
            self.paths = []
            return
        }
        // The library lists the keys of a file nowhere, but it asks for each whether it is secret.
        let seen = KeyRecorder()
        let options = YAMLSnapshot.ParsingOptions(
            secretsSpecifier: .dynamic { path, _ in
                seen.record(path)
                return ConfigurationKey.named(path)?.isSecret ?? true
            }
        )
        do {
            self.snapshot = try YAMLSnapshot(data: bytes.bytes, providerName: path, parsingOptions: options)
        } catch {
            throw .init(.fileMalformed, "the configuration file \(path) \(Self.explain(error))")
        }
        self.paths = seen.paths
    }

    private static func read(_ path: String) throws(ConfigurationError.Problem) -> (Data, isReadableByOthers: Bool) {
        var status = stat()
        let bytes: Data
        do {
            let descriptor = try FileDescriptor.open(path, .readOnly, options: [.closeOnExec, .nonBlocking])
            bytes = try descriptor.closeAfter {
                guard fstat(descriptor.rawValue, &status) == 0 else { throw Errno(rawValue: errno) }
                return try descriptor.readUpTo(Self.maximumBytes + 1)
            }
        } catch {
            throw .init(
                .fileUnreadable,
                "the configuration file \(path) cannot be read (\(error)); "
                    + "name another with --config or \(Self.variable)"
            )
        }
        guard bytes.count <= Self.maximumBytes else {
            let limit = ByteCountText.render(Self.maximumBytes)
            throw .init(.fileUnreadable, "the configuration file \(path) is longer than \(limit)")
        }
        let mayRead = status.st_mode & 0o044
        let isOpen = CredentialFolder.current.othersMayTouch(path, mode: mayRead, owner: status.st_uid)
        return (bytes, isOpen)
    }

    /// Whether there is a line that is neither empty nor a comment nor the start of a document; the library refuses
    /// files without one.
    private static func holdsValues(_ text: String) -> Bool {
        text.split(whereSeparator: \.isNewline).contains { line in
            let content = line.trimmingCharacters(in: .whitespaces)
            return !content.isEmpty && !content.hasPrefix("#") && content != "---"
        }
    }

    /// Says what the parser found without its quotation of the line, which may hold a secret.
    private static func explain(_ error: any Error) -> String {
        let text = String(describing: error)
        if text.hasPrefix("Parser: expected all keys to be unique"), let match = text.firstMatch(of: /in line (\d+)/) {
            return "has a key twice in the section that starts at line \(match.1)"
        }
        if let match = text.prefixMatch(of: /(\d+):(\d+): error/) {
            return "is not valid YAML at line \(match.1), column \(match.2)"
        }
        if let match = text.firstMatch(of: /array at ([A-Za-z0-9_.\-]+)/) {
            return "holds a list of something else than plain values under \(match.1)"
        }
        return "does not consist of sections with `key: value` lines"
    }
}

/// Collects the paths the parser asks about; it does so on our own thread, but through a sendable closure.
private final class KeyRecorder: Sendable {
    private let storage = Mutex<[String]>([])

    var paths: [String] { self.storage.withLock { $0 } }

    func record(_ path: String) { self.storage.withLock { $0.append(path) } }
}
