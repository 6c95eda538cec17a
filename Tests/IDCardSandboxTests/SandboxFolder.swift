import Foundation
import GRDB
import IDCardCore
import IDCardPipeline

@testable import IDCardSandbox

/// A folder for one test's sandbox, removed when the test ends.
final class SandboxFolder: Sendable {
    let path: String
    /// How its sandbox is opened where a test says nothing else.
    let vault: VaultAccess

    init(vault: VaultAccess = .sample) {
        self.vault = vault
        self.path = FileManager.default.temporaryDirectory.path + "/sandbox-test-\(UUID().uuidString)"
    }

    deinit {
        try? FileManager.default.removeItem(atPath: self.path)
    }

    var database: String { self.path + "/sandbox.sqlite3" }

    /// Whatever the disk of the tests, it has room enough.
    static var storage: SandboxStorage {
        var storage = SandboxStorage()
        storage.ballast = 64 << 10
        storage.intakeFreeSpace = 0
        storage.workFreeSpace = 0
        return storage
    }

    /// Where a test looks at what lies on the disk: nothing is given out of memory.
    static var storageWithoutCache: SandboxStorage {
        var storage = Self.storage
        storage.recentImages = 0
        return storage
    }

    func open(
        _ endpoints: SandboxOptions.Endpoints? = .embedded,
        readOnly: Bool = false,
        vault: VaultAccess? = nil,
        storage: SandboxStorage = SandboxFolder.storage
    ) throws -> SandboxStore {
        try SandboxStore.open(
            directory: self.path,
            options: SandboxOptions(
                endpoints: endpoints,
                isReadOnly: readOnly,
                vault: vault ?? self.vault,
                storage: storage,
                now: .second(0)
            )
        )
    }

    /// Opens the file as a stranger would, without the store's pragmas.
    func raw<Value>(_ body: (Database) throws -> Value) throws -> Value {
        let queue = try DatabaseQueue(path: self.database)
        defer { try? queue.close() }
        return try queue.writeWithoutTransaction(body)
    }

    /// Opens the file and reads, so that its log cannot be emptied until the reader is closed.
    func beginReading() throws -> DatabaseQueue {
        var configuration = Configuration()
        configuration.allowsUnsafeTransactions = true
        let reader = try DatabaseQueue(path: self.database, configuration: configuration)
        try reader.inDatabase { db in
            try db.execute(sql: "BEGIN")
            _ = try Int.fetchOne(db, sql: "SELECT count(*) FROM card")
        }
        return reader
    }

    func mode(of name: String = "") throws -> Int? {
        let attributes = try FileManager.default.attributesOfItem(atPath: self.path + "/" + name)
        return (attributes[.posixPermissions] as? NSNumber)?.intValue
    }

    /// The owner files that are there.
    func owners() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: self.path + "/owners")
    }
}

extension VaultAccess {
    /// A sandbox under one key, the same in every process of a test.
    static let sample = VaultAccess.encrypted(KeyRing(.sample(1)))
}

extension VaultKey {
    /// A key that is different for every number.
    static func sample(_ number: UInt8) -> VaultKey {
        guard let key = VaultKey(Data(repeating: number, count: VaultKey.byteCount)) else { return .random() }
        return key
    }
}

extension Timestamp {
    static func second(_ seconds: Int64) -> Timestamp {
        Timestamp(millisecondsSinceEpoch: 1_760_000_000_000 + seconds * 1000)
    }
}

extension Admission {
    /// An invented input, different for every number.
    static func sample(_ number: Int, byteCount: Int = 40_000, file: FileIdentity? = nil) throws -> Admission {
        let jpeg = Data(repeating: UInt8(truncatingIfNeeded: number), count: byteCount)
        guard let businessNumber = BusinessNumber("CASE-1") else { throw StoreError(.corrupt, "sample") }
        return Admission(
            id: CardID(rawValue: "card-\(number)"),
            metadata: CardMetadata(businessNumber: businessNumber, userNumber: Redacted("user-1")),
            sourceDigest: ContentDigest(of: Data("source \(number)".utf8)),
            file: file,
            intakeOrder: Int64(number),
            content: .prepared(
                PreparedImage(jpeg: jpeg, width: 856, height: 540, digest: ContentDigest(of: jpeg))
            )
        )
    }
}
