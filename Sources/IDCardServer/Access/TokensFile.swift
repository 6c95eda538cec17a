package import Foundation
import Glibc
package import IDCardCore

/// The file of tokens (`server.tokens_file`): a JSON array of records, read and written by its owner alone.
package struct TokensFile: Hashable, Sendable {
    /// Where it lies.
    package let path: String
    private let credentials: CredentialFolder

    private static let maximumByteCount = 1 << 20

    /// Names the file.
    package init(path: String, credentials: CredentialFolder = .current) {
        self.path = path
        self.credentials = credentials
    }

    // MARK: Reading

    /// Reads the tokens; none if there is no file.
    ///
    /// - Throws: `ServerError.tokens`, if others may touch it, or it holds something else.
    package func read() throws -> [TokenRecord] {
        guard let descriptor = try self.opened() else { return [] }
        defer { close(descriptor) }
        let status = try self.requireOwnersAlone(descriptor)
        guard status.st_uid == geteuid() || status.st_uid == 0 else {
            throw self.refusal("belongs to somebody else; it belongs to the user of this process, or to root")
        }
        return try self.records(of: descriptor)
    }

    /// Reads the tokens for one who looks after them: root may look after those of the service's user, too.
    ///
    /// - Throws: `ServerError.tokens`, as ``read()``.
    package func readForUpkeep() throws -> [TokenRecord] { try self.readWithOwner().records }

    private func readWithOwner() throws -> (records: [TokenRecord], owner: Owner?) {
        guard geteuid() == 0 else { return (try self.read(), nil) }
        guard let descriptor = try self.opened() else { return ([], nil) }
        defer { close(descriptor) }
        let status = try self.requireOwnersAlone(descriptor)
        return (try self.records(of: descriptor), Owner(user: status.st_uid, group: status.st_gid))
    }

    private func opened() throws -> CInt? {
        // Without O_NONBLOCK a FIFO of that name would stop us for ever.
        let descriptor = open(self.path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard descriptor < 0 else { return descriptor }
        if errno == ENOENT { return nil }
        throw self.refusal("cannot be opened: \(Self.reason)")
    }

    private func records(of descriptor: CInt) throws -> [TokenRecord] {
        let content = try self.content(of: descriptor)
        do {
            let decoder = JSONDecoder()
            decoder.dateDecodingStrategy = .iso8601
            let records = try decoder.decode([TokenRecord].self, from: content)
            guard Set(records.map(\.name)).count == records.count else {
                throw self.refusal("names a token twice; take one of them out")
            }
            return records
        } catch let error as ServerError {
            throw error
        } catch {
            throw self.refusal("holds no tokens; it is kept by `tokens add` and `tokens revoke`")
        }
    }

    /// Taken of the open file: what is read is what was looked at.
    private func requireOwnersAlone(_ descriptor: CInt) throws -> stat {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw self.refusal("cannot be looked at: \(Self.reason)") }
        guard status.st_mode & S_IFMT == S_IFREG else { throw self.refusal("is no file") }
        guard !self.credentials.othersMayTouch(self.path, mode: status.st_mode, owner: status.st_uid) else {
            throw self.refusal("may be touched by others than its owner; take that right away (chmod 600)")
        }
        return status
    }

    private func content(of descriptor: CInt) throws -> Data {
        var content = Data()
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw self.refusal("cannot be read: \(Self.reason)") }
            if count == 0 { return content }
            content.append(contentsOf: chunk[..<count])
            guard content.count <= Self.maximumByteCount else {
                throw self.refusal("has more than \(Self.maximumByteCount) bytes")
            }
        }
    }

    // MARK: Changing

    /// Makes a token and writes it down; durable when it returns.
    ///
    /// - Parameters:
    ///   - name: what it is called; letters, digits and `._-`.
    ///   - scopes: what it may do; at least one.
    ///   - expiresAt: when it stops working.
    ///   - now: the time.
    ///   - random: where its bits come from.
    /// - Returns: the token, which can be had this once only.
    /// - Throws: `ServerError.tokens`, if there is one of that name, or the file cannot be used.
    package func add(
        _ name: String,
        scopes: Set<TokenScope>,
        expiresAt: Date? = nil,
        now: Date,
        using random: inout some RandomNumberGenerator
    ) throws -> AccessToken {
        guard TokenRecord.isName(name) else {
            throw ServerError(.tokens, "a token's name has 1 to \(TokenRecord.maximumNameLength) letters, digits, ._-")
        }
        guard !scopes.isEmpty else { throw ServerError(.tokens, "a token needs a scope: submit, read or operate") }
        let token = AccessToken.generate(using: &random)
        try self.change { records in
            guard !records.contains(where: { $0.name == name }) else {
                throw ServerError(.tokens, "there is a token of the name \(name) already; revoke it, or choose another")
            }
            // What is written has no fractions of a second.
            let created = Date(timeIntervalSince1970: now.timeIntervalSince1970.rounded(.down))
            records.append(
                TokenRecord(
                    name: name,
                    scopes: scopes,
                    createdAt: created,
                    expiresAt: expiresAt,
                    digest: token.digest
                )
            )
        }
        return token
    }

    /// Takes a token out; durable when it returns.
    ///
    /// - Returns: `false` if there is none of that name.
    /// - Throws: `ServerError.tokens`, if the file cannot be used.
    package func revoke(_ name: String) throws -> Bool {
        var wasThere = false
        try self.change { records in
            wasThere = records.contains { $0.name == name }
            records.removeAll { $0.name == name }
        }
        return wasThere
    }

    /// Changes the file whole or not at all; of two processes one waits for the other.
    private func change(_ body: (inout [TokenRecord]) throws -> Void) throws {
        let url = URL(fileURLWithPath: self.path)
        let folder = open(url.deletingLastPathComponent().path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard folder >= 0 else { throw self.refusal("has no folder: \(Self.reason)") }
        defer { close(folder) }
        // The lock is that of the folder, as the file itself is replaced.
        guard flock(folder, LOCK_EX) == 0 else { throw self.refusal("cannot be held: \(Self.reason)") }
        var (records, owner) = try self.readWithOwner()
        try body(&records)
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let content = try encoder.encode(records) + [UInt8(ascii: "\n")]
        try self.replace(with: content, in: folder, for: owner ?? self.owner(of: folder))
    }

    /// Whom a file belongs to.
    private struct Owner {
        var user: uid_t
        var group: gid_t
    }

    /// Whom a new file is for: in a folder of the service's user, root makes it for that user; `nil` if it is ours.
    private func owner(of folder: CInt) -> Owner? {
        var status = stat()
        guard geteuid() == 0, fstat(folder, &status) == 0 else { return nil }
        return Owner(user: status.st_uid, group: status.st_gid)
    }

    private func replace(with content: Data, in folder: CInt, for owner: Owner?) throws {
        let temporary = self.path + ".new"
        // Left by a process that died; nobody else is here now.
        unlink(temporary)
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw self.refusal("cannot be written: \(Self.reason)") }
        var rest = content
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            rest = Data(rest.dropFirst(count))
        }
        let isOwned = owner.map { fchown(descriptor, $0.user, $0.group) == 0 } ?? true
        let isWritten = rest.isEmpty && isOwned && fchmod(descriptor, 0o600) == 0 && fsync(descriptor) == 0
        let isClosed = close(descriptor) == 0
        guard isWritten, isClosed, rename(temporary, self.path) == 0, fsync(folder) == 0 else {
            let refusal = self.refusal("cannot be written: \(Self.reason)")
            unlink(temporary)
            throw refusal
        }
    }

    private static var reason: String { String(cString: strerror(errno)) }

    private func refusal(_ what: String) -> ServerError {
        ServerError(.tokens, "the file of tokens (server.tokens_file) \(what)")
    }
}
