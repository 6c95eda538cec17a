import ArgumentParser
import CardModel
import CardStore
import Foundation

extension KeysCommand {
    /// Replaces the key of the sandbox.
    struct Rotate: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "rotate",
            abstract: "Replace the key of the sandbox, while no other process works on it.",
            discussion: """
                A new key goes into the key file first, the keys of all cards are wrapped with it, and the old one moves to \
                FILE.retired-ID: keep that as long as backups from before. With vault.key or vault.key_command, let these give \
                the new key first and the old one second, then run this. What was cut short goes on when it is run again.

                Exit status: 0 done · 1 the key of some card was damaged before · 75 another process is at work · 78 there is \
                no key to change to.
                """
        )

        @Option(name: .long, help: "The form of the report.")
        var format = ReportFormat.text

        @OptionGroup var options: GlobalOptions

        func run() async throws {
            let configuration = try self.options.loadConfiguration(requiringRemotes: false)
            try await self.options.withSandbox { store in
                let report = try await KeyChange(configuration: configuration, store: store).run()
                await report.print(self.format)
                return report.isWhole ? .delivered : .someNotDelivered
            }
        }
    }
}

/// Changes the key that wraps all others.
private struct KeyChange {
    struct Output: Report {
        private let keyID: String
        private let rewrapped: Int
        private let damaged: Int
        private let retired: [String]
        private let isNew: Bool

        private enum CodingKeys: CodingKey { case keyID, rewrapped, damaged, retired }

        /// - Parameter former: the key that wrapped everything before.
        init(_ rotation: KeyRotation, former: String?, retired: [String]) {
            self.keyID = rotation.keyID
            self.rewrapped = rotation.rewrapped
            self.damaged = rotation.damaged
            self.retired = retired
            self.isNew = former != rotation.keyID
        }

        var isWhole: Bool { self.damaged == 0 }

        var lines: [String] {
            var lines = ["\(self.rewrapped) keys of cards are wrapped with the key \(self.keyID) now"]
            if !self.isNew {
                lines = [
                    "everything was wrapped with the key \(self.keyID) already: what an earlier rotation left was ended; "
                        + "to change the key, run this again"
                ]
            }
            if self.damaged > 0 {
                lines.append("\(self.damaged) were damaged before, and no key opens them; see idcard-pipeline fsck")
            }
            for path in self.retired {
                lines.append("the old key is in \(path): keep it as long as backups from before")
            }
            return lines
        }
    }

    let configuration: Configuration
    let store: CardStore

    func run() async throws -> Output {
        let ring = try await self.configuration.vaultKeys(creating: false)
        guard ring.keys.map(\.id) == self.store.keyIDs else { throw Self.changedMeanwhile }
        let inUse = try await self.store.keysInUse()
        // Cut off earlier: the first key was stored and wraps nothing yet, or the others were not retired.
        var isBegun = inUse.first != ring.current.id
        guard case .file(let file) = VaultKeySource(self.configuration) else {
            guard isBegun else { throw Self.noNewKey }
            return Output(try await self.store.rotateKeys(to: ring.current) {}, former: inUse.first, retired: [])
        }
        isBegun = isBegun || ring.keys.count > 1
        let key = isBegun ? ring.current : VaultKey.random()
        var retired: [String] = []
        let rotation = try await self.store.rotateKeys(to: key) {
            // A change of the key that ended while this one waited to be alone must not be written over.
            guard try file.read() == ring, try await self.store.keysInUse() == inUse else {
                throw Self.changedMeanwhile
            }
            guard !isBegun, let both = KeyRing([key] + ring.keys) else { return }
            try file.replace(with: both)
        } retiring: {
            retired = try file.retire(ring.keys.filter { $0 != key }, keeping: key)
        }
        return Output(rotation, former: inUse.first, retired: retired)
    }

    private static let changedMeanwhile = CodedError(
        .sandboxUnavailable,
        .temporary,
        "another process changed the key meanwhile, so nothing was changed here; look at the key file, and run this again"
    )

    private static let noNewKey = CodedError(
        .settingMissing,
        .configuration,
        """
        there is no key to change to; let vault.key or vault.key_command give a new key before the one that holds now \
        (openssl rand -base64 32), then run this again
        """
    )
}

extension KeyFile {
    /// Moves keys into files of their own, and then out of this one.
    ///
    /// - Returns: the paths of these files.
    fileprivate func retire(_ keys: [VaultKey], keeping current: VaultKey) throws(CodedError) -> [String] {
        let files = keys.map { KeyFile(path: "\(self.path).retired-\($0.id)") }
        for (file, key) in zip(files, keys) { _ = try file.create(key) }
        try self.replace(with: KeyRing(current))
        return files.map(\.path)
    }
}

extension Configuration {
    /// The keys that rotations have retired beside the key file; those that cannot be read are left out.
    var retiredKeys: [VaultKey] {
        guard let path = self.vault.keyFile else { return [] }
        let (folder, name) = (DurableFile.folder(of: path), URL(filePath: path).lastPathComponent)
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.sorted().filter { $0.hasPrefix(name + ".retired-") }.flatMap { name in
            (try? KeyFile(path: "\(folder)/\(name)").read().keys) ?? []
        }
    }
}

extension KeyRing {
    /// This ring with further keys that only open what is there.
    func joined(with keys: [VaultKey]) -> KeyRing {
        KeyRing(self.keys + keys.filter { !self.keys.contains($0) }) ?? self
    }
}
