import Foundation
import Glibc
import IDCardCore
import IDCardSandbox
import SystemPackage

/// The file beside a sandbox that keeps the credentials of the embedded endpoints; once there, it never changes.
struct EmbeddedCredentialsFile {
    /// The file's name.
    static let name = "embedded-credentials.json"
    /// Most bytes that are read.
    private static let maximumBytes = 4096

    private let folder: String
    private let path: String

    /// Names the file of a sandbox.
    init(folder: String) {
        self.folder = folder
        self.path = folder + "/" + Self.name
    }

    /// Reads the credentials; `nil` if there is no file.
    ///
    /// - Throws: `credentials_unreadable`, `credentials_malformed`.
    func read() throws(EmbeddedCredentialsError) -> EmbeddedCredentials? {
        let data: Data
        do {
            // Without O_NONBLOCK a FIFO of that name would stop us for ever.
            let file = try FileCall.acting(on: self.path) {
                try FileDescriptor.open(self.path, .readOnly, options: [.closeOnExec, .nonBlocking, .noFollow])
            }
            data = try file.closeAfter { try file.readUpTo(Self.maximumBytes + 1) }
        } catch Errno.noSuchFileOrDirectory {
            return nil
        } catch {
            throw self.unreadable("cannot be read: \(error)", cause: error)
        }
        guard let known = try? JSONDecoder().decode(EmbeddedCredentials.self, from: data), known.isComplete else {
            // The decoder's error is left out: it may quote the file.
            throw self.problem(
                .malformed,
                "\(self.path) does not hold the credentials of the embedded endpoints; put back the file that belongs to "
                    + "this sandbox, or, if no delivery is open, remove it: new ones are made then"
            )
        }
        return known
    }

    /// Writes credentials, unless the file is there by then: whoever comes first wins, and nobody sees half a file.
    ///
    /// - Throws: `credentials_unwritable`.
    func create(_ credentials: EmbeddedCredentials) throws(EmbeddedCredentialsError) {
        let temporary = "\(self.path).\(UUID().uuidString).new"
        do {
            let text = String(decoding: try JSONEncoder().encode(credentials), as: UTF8.self)
            defer { _ = FileCall.acting(on: temporary) { unlink(temporary) } }
            try self.write(text, to: temporary)
            // Unlike rename(2), link(2) does not replace a file that another process has put there meanwhile.
            if FileCall.acting(on: self.path, { link(temporary, self.path) }) != 0, errno != EEXIST {
                throw Errno(rawValue: errno)
            }
            let folder = try FileCall.acting(on: self.folder) {
                try FileDescriptor.open(self.folder, .readOnly, options: [.closeOnExec, .directory])
            }
            try folder.closeAfter { try self.synchronize(folder) }
        } catch {
            throw self.problem(
                .unwritable,
                "\(self.path) cannot be written: \(error); free space on the disk, or correct the rights of the folder",
                cause: error
            )
        }
    }

    /// The error of a file that is there but cannot be read.
    func unreadable(_ reason: String, cause: (any Error)? = nil) -> EmbeddedCredentialsError {
        self.problem(
            .unreadable,
            "\(self.path) \(reason); give this user the right to read it (mode 0600), then run again",
            cause: cause
        )
    }

    private func write(_ text: String, to path: String) throws {
        let file = try FileCall.acting(on: path) {
            try FileDescriptor.open(
                path,
                .writeOnly,
                options: [.create, .exclusiveCreate, .closeOnExec],
                permissions: .ownerReadWrite
            )
        }
        try file.closeAfter {
            if let error = DescriptorOutput.write(text, to: file.rawValue) { throw Errno(rawValue: error) }
            try self.synchronize(file)
        }
    }

    private func synchronize(_ file: FileDescriptor) throws {
        while fsync(file.rawValue) != 0 {
            guard errno == EINTR else { throw Errno(rawValue: errno) }
        }
    }

    private func problem(
        _ code: EmbeddedCredentialsError.Code,
        _ message: String,
        cause: (any Error)? = nil
    ) -> EmbeddedCredentialsError {
        EmbeddedCredentialsError(code: code, message: message, cause: cause)
    }
}

extension EmbeddedCredentials {
    /// Whether none of the values is empty.
    fileprivate var isComplete: Bool {
        [self.apiKey, self.apiSecret, self.token].allSatisfy { !$0.reveal().isEmpty }
    }
}
