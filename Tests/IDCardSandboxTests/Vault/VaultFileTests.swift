import Foundation
import GRDB
import IDCardCore
import IDCardPipeline
import Testing

@testable import IDCardSandbox

/// What lies in the files of an encrypted sandbox.
struct VaultFileTests {
    var folder = SandboxFolder()

    private static let canaries = ["样本甲", "11010519491231002X", "token-1", "user-canary", "note-canary", "JFIF-canary"]

    private func takeIn(_ store: SandboxStore) async throws -> Delivery {
        var admission = try Admission.sample(1)
        admission.metadata.userNumber = Redacted("user-canary")
        admission.metadata.expectedName = Redacted("样本甲")
        admission.metadata.expectedIDNumber = Redacted("11010519491231002X")
        let jpeg = Data("JFIF-canary".utf8) + Data(repeating: 7, count: 50_000)
        let image = PreparedImage(jpeg: jpeg, width: 856, height: 540, digest: ContentDigest(of: jpeg))
        admission.content = .prepared(image)
        _ = try await store.admit(admission, now: .second(1))
        var refused = try Admission.sample(2)
        refused.content = .refused(.sourceTooLarge, message: "note-canary")
        _ = try await store.admit(refused, now: .second(1))
        return try await store.beginSampleDelivery()
    }

    private func found(_ canaries: [String]) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: self.folder.path).flatMap { name in
            let bytes = FileManager.default.contents(atPath: self.folder.path + "/" + name) ?? Data()
            return canaries.filter { bytes.range(of: Data($0.utf8)) != nil }.map { "\(name): \($0)" }
        }
    }

    @Test("names, numbers, TOKEN, messages and images stand in no file, neither while it is open nor after")
    func canaries() async throws {
        let store = try self.folder.open()
        _ = try await self.takeIn(store)
        #expect(try self.found(Self.canaries + [VaultKey.sample(1).reveal()]) == [])
        #expect(FileManager.default.fileExists(atPath: self.folder.database + "-wal"))
        try await store.close()
        #expect(try self.found(Self.canaries) == [])
    }

    @Test("where nothing is encrypted the same search finds them: it would find them here")
    func control() async throws {
        let folder = SandboxFolder(vault: .unencrypted)
        let tests = VaultFileTests(folder: folder)
        let store = try folder.open()
        _ = try await tests.takeIn(store)
        for canary in Self.canaries { #expect(try !tests.found([canary]).isEmpty, "\(canary)") }
        // Not before: what the end of the store moves from file to file might be seen in neither.
        try await store.close()
    }

    @Test("the keys of fingerprints and chain are stored wrapped; those of the sandbox in the clear are not")
    func sandboxKeys() throws {
        _ = try self.folder.open()
        let sizes = try self.folder.raw { try Int.fetchAll($0, sql: "SELECT length(bytes) FROM vault_key") }
        #expect(sizes == [32 + SealedValue.overhead, 32 + SealedValue.overhead])
        let folder = SandboxFolder(vault: .unencrypted)
        _ = try folder.open()
        #expect(try folder.raw { try Int.fetchAll($0, sql: "SELECT length(bytes) FROM vault_key") } == [32, 32])
    }

    @Test(
        "a delivery that is delivered, rejected or dissolved loses its key and its parts; one that is held keeps them"
    )
    func closedDeliveries() async throws {
        let endings: [(DeliveryConclusion, Bool)] = [
            (.delivered(code: "0"), false), (.rejected(.rejectedByOperator, message: "no"), false), (.dissolved, false),
            (.held(.outcomeUnknown, message: "?"), true),
        ]
        for (ending, keeps) in endings {
            let folder = SandboxFolder()
            let store = try folder.open()
            let delivery = try await VaultFileTests(folder: folder).takeIn(store)
            let attempt = AttemptRecord(failureClass: .accepted, code: "0", httpStatus: 200, startedAt: .second(4))
            _ = try await store.conclude(delivery.id, as: ending, attempt: attempt, number: 1, now: .second(5))
            let owners = try folder.raw { try String.fetchSet($0, sql: "SELECT owner FROM data_key") }
            #expect(owners.contains(delivery.id.rawValue) == keeps, "\(ending)")
            let size = try folder.raw { try Int.fetchOne($0, sql: "SELECT length(parts) FROM delivery") }
            #expect((size ?? 0 > 0) == keeps, "\(ending)")
        }
    }
}
