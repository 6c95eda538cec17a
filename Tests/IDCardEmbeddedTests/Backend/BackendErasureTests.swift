import Foundation
import IDCardEmbedded
import IDCardTesting
import Testing

@Suite("The embedded backend's documents can be erased", .timeLimit(.minutes(Sanitizer.minutes(2))))
struct BackendErasureTests {
    @Test("files and data go, places and answers stay, and the next document gets a name of its own")
    func erases() async throws {
        let folder = BackendFolder()
        let others = HandWrittenForm.jpeg.dropLast(2) + [0, 0xFF, 0xD9]
        try await withBackend(in: folder) { client async throws in
            #expect(try await client.upload(.single(), key: "\"1\"").retcode == "000000")
            #expect(try await client.upload(.single(image: Array(others)), key: "\"2\"").retcode == "000000")
            #expect(try await client.upload(.single(number: "B-2"), key: "\"3\"").retcode == "000000")
        }
        let places = [DocumentPlace(key: "1", position: 1), DocumentPlace(key: "3", position: 1)]
        let missing = DocumentPlace(key: "9", position: 1)
        #expect(try EmbeddedBackend.erase(places + [missing], in: folder.url.path) == Set(places))
        #expect(try folder.documents() == ["B-1/IDCARD_FRONT_APP-2.jpg"])
        #expect(try folder.ledger().map(\.businessNumber) == ["", "B-1", ""])
        #expect(try folder.ledger().map(\.userNumber) == ["", "user-1", ""])
        #expect(try folder.ledger().map(\.imageDigest.isEmpty) == [true, false, true])
        #expect(try folder.ledger().map(\.sequence) == [1, 2, 3])
        #expect(try EmbeddedBackend.erase(places, in: folder.url.path) == Set(places), "once more is the same")
        try await withBackend(in: folder) { client async throws in
            #expect(try await client.upload(.single(), key: "\"4\"").retcode == "000000", "it is not known any more")
        }
        #expect(try folder.documents() == ["B-1/IDCARD_FRONT_APP-2.jpg", "B-1/IDCARD_FRONT_APP-3.jpg"])
    }

    @Test("a folder in use is left alone")
    func inUse() async throws {
        let folder = BackendFolder()
        try await withBackend(in: folder) { client async throws in
            _ = try await client.upload(.single(), key: "\"1\"")
            let error = #expect(throws: EmbeddedError.self) {
                try EmbeddedBackend.erase([DocumentPlace(key: "1", position: 1)], in: folder.url.path)
            }
            #expect(error?.code == .folderInUse)
        }
        #expect(try folder.documents() == ["B-1/IDCARD_FRONT_APP-1.jpg"])
    }

    @Test("a folder that is not there holds nothing, and is not made")
    func missing() throws {
        let path = NSTemporaryDirectory() + "no-backend-\(UUID().uuidString)"
        #expect(try EmbeddedBackend.erase([DocumentPlace(key: "1", position: 1)], in: path) == [])
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}
