import CardInput
import CardModel
import Foundation
import Glibc
import Testing

/// A folder of its own for one test, removed when the last copy goes.
final class TemporaryFolder: Sendable {
    let path: String

    /// Without one there is nothing to test, so this does not throw and a suite can hold it as a property.
    init(in parent: String = NSTemporaryDirectory()) {
        var template = Array((parent + "/card-input-XXXXXX").utf8CString)
        guard mkdtemp(&template) != nil, let real = realpath(template, nil) else {
            fatalError("no folder for temporary files: \(POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO))")
        }
        defer { free(real) }
        self.path = String(cString: real)
    }

    deinit {
        // What cannot be removed stays in the system's temporary folder, which is cleaned by others.
        try? FileManager.default.removeItem(atPath: self.path)
    }

    /// Returns the absolute path of something below.
    subscript(_ below: String) -> String { self.path + "/" + below }

    /// The inputs that a run with paths below finds, as lines.
    func lines(_ below: String...) throws -> [String] { try Listing(self, paths: below.map { self[$0] }).lines }

    /// What a run with paths below finds, with a manifest that also lies below.
    func listing(
        _ below: String...,
        manifest: String? = nil,
        options: BatchOptions = Listing.options(),
        limit: Int = 1_000_000
    ) throws -> Listing {
        let (paths, manifest) = (below.map { self[$0] }, manifest.map { self[$0] })
        return try Listing(self, paths: paths, manifest: manifest, options: options, limit: limit)
    }

    /// The error that ends such a run.
    func error(_ below: String..., manifest: String? = nil, limit: Int = 1_000_000) throws -> CodedError {
        let (paths, manifest) = (below.map { self[$0] }, manifest.map { self[$0] })
        return try #require(throws: CodedError.self) {
            try Listing(self, paths: paths, manifest: manifest, limit: limit)
        }
    }

    /// Returns the path of something below, as seen from the current folder.
    func relativePath(of below: String) -> String {
        let depth = FileManager.default.currentDirectoryPath.split(separator: "/").count
        return String(repeating: "../", count: depth) + self[below].dropFirst()
    }

    /// A file system that keeps any modification time.
    static let anyTimes = "/dev/shm"

    /// Writes files, with the folders they need; they start like a JPEG unless told otherwise.
    @discardableResult
    func write(_ files: String..., bytes: [UInt8] = Listing.jpegStart) throws -> TemporaryFolder {
        for file in files { try self.write(file, data: Data(bytes)) }
        return self
    }

    /// Gives a file a modification time, in seconds since the epoch.
    func setTime(_ file: String, _ seconds: Int) throws {
        let times = [timespec(tv_sec: seconds, tv_nsec: 0), timespec(tv_sec: seconds, tv_nsec: 0)]
        guard utimensat(AT_FDCWD, self[file], times, 0) == 0 else { throw POSIXError(.EIO) }
    }

    func write(_ file: String, text: String) throws {
        try self.write(file, data: Data(text.utf8))
    }

    /// Makes a symbolic link whose target is relative to the folder, unless absolute.
    func link(_ below: String, to target: String) throws {
        try self.makeFolder(of: below)
        try FileManager.default.createSymbolicLink(
            atPath: self[below],
            withDestinationPath: target.hasPrefix("/") ? target : self[target]
        )
    }

    func makeFolder(_ below: String) throws {
        try FileManager.default.createDirectory(atPath: self[below], withIntermediateDirectories: true)
    }

    private func makeFolder(of below: String) throws {
        // Byte by byte: a slash before a combining mark is a slash all the same.
        guard let slash = below.utf8.lastIndex(of: UInt8(ascii: "/")) else { return }
        try self.makeFolder(String(below[..<slash]))
    }

    private func write(_ file: String, data: Data) throws {
        try self.makeFolder(of: file)
        // By the system's own call: the names under test are not to be changed on their way to the disk.
        let descriptor = open(self[file], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        try FileHandle(fileDescriptor: descriptor, closeOnDealloc: true).write(contentsOf: data)
    }
}
