import CardModel
import CardStore
import Foundation
import Glibc

/// The file with the keys of a sandbox, the current one first; only its owner may have rights to it.
///
/// It also records the sandboxes of these keys, so that a mistyped path creates no second one: each in a comment line.
struct KeyFile: Sendable {
    private static let key = "vault.key_file"
    private static let sandboxMark = "# sandbox: "
    private static let header = """
        # Keys of an idcard-pipeline sandbox. The first is the newest; the others still open what they encrypted.
        # Without them the sandbox cannot be read: keep a copy in another place.

        """

    let path: String

    /// Whether there is a file, readable or not.
    var exists: Bool {
        var status = stat()
        return lstat(self.path, &status) == 0
    }

    /// - Throws: `secret_insecure`, `secret_unreadable`.
    func read() throws(CodedError) -> KeyRing {
        guard self.exists else { throw Self.error(.keysFileMissing(Self.key, self.path)) }
        return try KeyRing(try self.text()) { reason in
            Self.error(.secretFile(Self.key, self.path, reason, expected: .secretExpectsKeys))
        }
    }

    /// The ids of the sandboxes that the file records for its keys.
    ///
    /// - Throws: `secret_insecure`, `secret_unreadable`.
    func sandboxes() throws(CodedError) -> [String] { Self.sandboxes(in: try self.text()) }

    /// Records a sandbox, if this user can write the file.
    ///
    /// - Throws: `secret_insecure`, `secret_unreadable`, `file_not_written`.
    func remember(_ sandbox: String) throws(CodedError) {
        let text = try self.text()
        let line = "\n\(Self.sandboxMark)\(sandbox)\n"
        // A longer file could no longer be read.
        guard self.isWritable, !Self.sandboxes(in: text).contains(sandbox),
            text.reveal().utf8.count + line.utf8.count <= SecretFile.maximumBytes
        else { return }
        try self.change { $0.trimmed + line }
    }

    /// Whether this user owns the file and may replace it.
    private var isWritable: Bool {
        let path = Self.resolved(self.path)
        var status = stat()
        return stat(path, &status) == 0 && status.st_uid == geteuid() && access(path, W_OK) == 0
            && access(DurableFile.folder(of: path), W_OK) == 0
    }

    private func text() throws(CodedError) -> Redacted<String> {
        try SecretFile(path: self.path, key: Self.key).readText(expected: .secretExpectsKeys)
    }

    private static func sandboxes(in text: Redacted<String>) -> [String] {
        text.reveal().split(whereSeparator: \.isNewline).filter { $0.hasPrefix(Self.sandboxMark) }
            .map { $0.dropFirst(Self.sandboxMark.count).trimmed }
    }

    /// Writes a file with one key, unless it exists: of several processes the first one's key counts, and no process reads
    /// an incomplete file.
    ///
    /// - Returns: whether this call made the file.
    /// - Throws: `file_not_written`.
    func create(_ key: VaultKey) throws(CodedError) -> Bool {
        guard !self.exists else { return false }
        let folder = DurableFile.folder(of: self.path)
        try DurableFile.makeFolders(folder, mode: 0o700)
        let temporary = "\(self.path).\(UUID().uuidString).new"
        defer { unlink(temporary) }
        try DurableFile.replace(temporary, with: Array(Self.content(of: KeyRing(key)).utf8))
        // Unlike rename(2), link(2) does not replace a file that another process has created meanwhile.
        guard link(temporary, self.path) == 0 else {
            guard errno != EEXIST else { return false }
            throw Self.error(.keysFileNotMade(Self.key, self.path, errno))
        }
        try DurableFile.synchroniseFolder(folder)
        return true
    }

    /// Replaces the keys, completely or not at all; the recorded sandboxes stay.
    ///
    /// - Throws: `secret_insecure`, `secret_unreadable`, `file_not_written`.
    func replace(with ring: KeyRing) throws(CodedError) {
        try self.change { text in
            let sandboxes = Self.sandboxes(in: Redacted(text)).map { "\(Self.sandboxMark)\($0)\n" }
            return Self.content(of: ring) + sandboxes.joined()
        }
    }

    /// Replaces the content; of two processes one waits for the other.
    private func change(_ body: (String) -> String) throws(CodedError) {
        // A symbolic link stays: its target is replaced.
        let path = Self.resolved(self.path)
        let lock = try DurableFile.lock(DurableFile.folder(of: path))
        defer { close(lock) }
        try DurableFile.replace(path, with: Array(body(try self.text().reveal()).utf8))
    }

    private static func content(of ring: KeyRing) -> String {
        Self.header + ring.keys.map { $0.reveal() + "\n" }.joined()
    }

    static func resolved(_ path: String) -> String { SecretRights.realPath(path) ?? path }

    private static func error(_ text: Message) -> CodedError { CodedError(.secretUnreadable, .configuration, text) }
}

extension KeyRing {
    /// Parses keys; `error` makes the error of a refusal from its reason.
    init(_ text: Redacted<String>, otherwise error: (Message) -> CodedError) throws(CodedError) {
        do throws(KeyRing.Refusal) { try self.init(text: text.reveal()) } catch let refusal {
            throw error(refusal.message)
        }
    }
}

extension KeyRing.Refusal {
    /// The reason, without any content of the file.
    var message: Message {
        switch self {
        case .empty: .keysNone
        case .notAKey(let line): .keysLineInvalid(line)
        case .repeated(let line): .keysLineRepeated(line)
        case .tooMany: .keysTooMany
        }
    }
}

extension Configuration {
    /// The file of the sandbox's keys; `nil` if none is set.
    var keyFile: KeyFile? { self.vault.keyFile.map(KeyFile.init) }

    /// Returns the current keys of the sandbox. Only for a new sandbox of the embedded endpoints, it makes a key without
    /// being asked.
    ///
    /// Each call reads the file or runs the command, to find a key that another process has added.
    ///
    /// - Parameter creating: whether a missing sandbox is created.
    /// - Throws: `CodedError` `secret_insecure`, `secret_unreadable`, `setting_invalid`, `setting_missing`; `CancellationError`.
    func vaultKeys(creating: Bool) async throws -> KeyRing {
        if let key = self.vault.key {
            return try KeyRing(key) { CodedError(.settingInvalid, .configuration, .keysValue($0)) }
        }
        if let text = self.vault.keyCommand {
            let command = SecretCommand(key: "vault.key_command", expected: .secretExpectsKeys, text: text)
            return try KeyRing(try await command.run()) { command.error(.secretCommandOutput($0)) }
        }
        guard let file = self.keyFile else { throw Self.missingKey }
        let hasSandbox = Sandbox.isSandbox(at: self.sandboxPath)
        // An existing sandbox was made with a key; the error of reading the file says what to do.
        if !file.exists, !hasSandbox {
            guard self.isEmbedded else { throw Self.missingKey }
            if creating, try file.create(.random()) { Console.notice(.keysMadeEmbedded(file.path)) }
        }
        return try file.read()
    }

    /// The keys of the sandbox, and those retired by rotations beside the key file, as far as they can be read: retired keys
    /// only unseal stored values.
    func allVaultKeys() async throws -> KeyRing {
        let ring = try await self.vaultKeys(creating: false)
        guard let path = self.vault.keyFile else { return ring }
        let (folder, name) = (DurableFile.folder(of: path), URL(filePath: path).lastPathComponent)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let retired = names.sorted().filter { $0.hasPrefix(name + ".retired-") }.flatMap { name in
            (try? KeyFile(path: "\(folder)/\(name)").read().keys) ?? []
        }
        return KeyRing(ring.keys + retired.filter { !ring.keys.contains($0) }) ?? ring
    }

    private static let missingKey = CodedError(.settingMissing, .configuration, .keysMissing)
}
