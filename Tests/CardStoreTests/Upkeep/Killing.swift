import CardModel
import Foundation
import Glibc

@testable import CardStore

/// A sandbox as another process opens it, which is killed at a step.
struct KilledProcess {
    /// The folder, the key, the step, and what else the process needs.
    let arguments: [String]

    var folder: String { self.arguments[0] }
    var step: String { self.arguments[2] }
    var rest: [String] { Array(self.arguments.dropFirst(3)) }
    static let now = Timestamp(millisecondsSinceEpoch: 1_700_000_100_000)

    func ring() throws -> KeyRing {
        let keys = self.arguments[1].split(separator: ",").compactMap { VaultKey(text: $0) }
        guard let ring = KeyRing(keys) else { throw CocoaError(.coderInvalidValue) }
        return ring
    }

    func open() async throws -> Sandbox {
        try await Sandbox.open(path: self.folder, kind: nil, ring: self.ring(), creating: false, now: Self.now)
    }

    /// Restores the backup that is the first of the other arguments.
    func restore(replacing: Bool = true, reached: @escaping @Sendable (Restore.Step) -> Void = { _ in }) async throws {
        var restore = try Restore(
            of: BackupFile(self.rest[0]),
            into: self.folder,
            ring: self.ring(),
            replacing: replacing,
            by: AccessOrigin(actor: "root:restore"),
            now: Self.now
        )
        restore.reached = reached
        _ = try await restore.run()
    }

    /// Ends the process as a power cut would, once it has come to the step.
    func reach(_ step: some RawRepresentable<String>) {
        if step.rawValue == self.step { kill(getpid(), SIGKILL) }
    }
}

extension StoreHarness {
    func arguments(_ step: some RawRepresentable<String>, _ rest: String...) -> [String] {
        [self.folder, self.key.reveal(), step.rawValue] + rest
    }

    /// The files of the sandbox that hold some bytes.
    func files(holding bytes: Data) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: self.folder).filter { name in
            var isFolder: ObjCBool = false
            let path = "\(self.folder)/\(name)"
            guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder), !isFolder.boolValue else {
                return false
            }
            return try Data(contentsOf: URL(filePath: path)).range(of: bytes) != nil
        }
        .sorted()
    }

    /// The cards that the list of erasures names.
    func listed() throws -> [CardID] {
        self.store.upkeep.erasureList.isThere ? try self.store.upkeep.erasureList.entries().map(\.card) : []
    }
}
