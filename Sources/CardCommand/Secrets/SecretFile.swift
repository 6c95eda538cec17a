import CardModel
import Foundation
import Glibc
import SystemPackage

/// A file with secrets, to which only its owner may have rights.
struct SecretFile {
    /// The most bytes that are read; keys and tokens need a few hundred.
    static let maximumBytes = 64 * 1024

    let path: String
    let key: String

    /// Reads the only secret in the file; spaces and line ends around it are ignored.
    ///
    /// - Throws: `secret_insecure`, `secret_unreadable`.
    func read() throws(CodedError) -> Redacted<String> {
        let text = try self.readText(expected: .secretExpectsOne).reveal().trimmed
        guard text.isOneLine else { throw self.unreadable(.secretNotOneLine, .secretExpectsOne) }
        return Redacted(text)
    }

    /// Reads the whole file; it must belong to this user or to root.
    ///
    /// Checks the rights of the opened file: the name may belong to another file a moment later.
    ///
    /// - Throws: `secret_insecure`, `secret_unreadable`.
    func readText(expected: Message) throws(CodedError) -> Redacted<String> {
        do {
            return Redacted(try LimitedText.read(self.path, upTo: Self.maximumBytes) { try self.check($0, expected) })
        } catch let error as CodedError {
            throw error
        } catch {
            throw self.unreadable(LimitedText.reason(error), expected)
        }
    }

    private func check(_ status: stat, _ expected: Message) throws(CodedError) {
        guard status.st_mode & S_IFMT == S_IFREG else { throw self.unreadable(.secretNotRegular, expected) }
        if let refusal = SecretRights.refusal(of: self.path, status) {
            throw CodedError(.secretInsecure, .configuration, .textLabelled(self.key, refusal))
        }
    }

    private func unreadable(_ reason: Message, _ expected: Message) -> CodedError {
        CodedError(.secretUnreadable, .configuration, .secretFile(self.key, self.path, reason, expected: expected))
    }
}

/// A text file, read completely within a limit.
enum LimitedText {
    /// Why a readable file gives no text.
    enum Refusal: Error {
        case tooLong(limit: Int)
        case notUTF8
        /// A program holds the pipe open and writes nothing.
        case silent(Duration)
    }

    /// - Parameters:
    ///   - patience: how long a program that writes the file may pause.
    ///   - check: checks the opened file, as the name may belong to another file a moment later.
    /// - Throws: `Errno`, `Refusal`; what the check throws.
    static func read(
        _ path: String,
        upTo limit: Int,
        patience: Duration = .seconds(30),
        _ check: (stat) throws -> Void
    ) throws -> String {
        // Without O_NONBLOCK, opening a FIFO without a writer would block permanently.
        let descriptor = try FileDescriptor.open(path, .readOnly, options: [.closeOnExec, .nonBlocking])
        var bytes = Data()
        try descriptor.closeAfter {
            var status = stat()
            guard fstat(descriptor.rawValue, &status) == 0 else { throw Errno(rawValue: errno) }
            try check(status)
            while bytes.count <= limit {
                let piece = try Self.piece(of: descriptor, patience)
                if piece.isEmpty { break }
                bytes.append(contentsOf: piece)
            }
        }
        guard bytes.count <= limit else { throw Refusal.tooLong(limit: limit) }
        guard let text = String(data: bytes, encoding: .utf8) else { throw Refusal.notUTF8 }
        return text.withoutByteOrderMark
    }

    /// The next bytes; waits for a program that is still writing, as with `--config <(…)`.
    private static func piece(of descriptor: FileDescriptor, _ patience: Duration) throws -> [UInt8] {
        while true {
            do {
                return try [UInt8](unsafeUninitializedCapacity: 16_384) { buffer, count in
                    count = try descriptor.read(into: UnsafeMutableRawBufferPointer(buffer), retryOnInterrupt: true)
                }
            } catch Errno.resourceTemporarilyUnavailable {
                var request = pollfd(fd: descriptor.rawValue, events: Int16(POLLIN), revents: 0)
                guard poll(&request, 1, Int32(patience / .milliseconds(1))) != 0 else { throw Refusal.silent(patience) }
            }
        }
    }

    /// Why the file could not be read, as a clause.
    static func reason(_ error: any Error) -> Message {
        switch error {
        case Refusal.tooLong(let limit): .textFileTooLong(limit)
        case Refusal.notUTF8: .textFileNotUTF8
        case Refusal.silent(let time): .textFileSilent(time)
        default: .textFileUnreadable((error as? Errno)?.rawValue ?? EIO)
        }
    }
}

extension String {
    /// The text without the byte order mark that programs on Windows write.
    var withoutByteOrderMark: String { self.hasPrefix("\u{FEFF}") ? String(self.unicodeScalars.dropFirst()) : self }
}
