import CardEmbedded
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct ErasureTests {
    private let folder = BackendFolder()

    private static let canary = Array("canary in a picture".utf8)

    @Test func `Files and data go, places and answers stay, and the next document gets its own name`() async throws {
        try await withBackend(in: self.folder) { client async throws in
            #expect(try await client.upload(.single(), key: "\"1\"").retcode == "000000")
            #expect(try await client.upload(.single(image: HandWrittenForm.image(2)), key: "\"2\"").retcode == "000000")
            #expect(try await client.upload(.single(number: "B-2"), key: "\"3\"").retcode == "000000")
        }
        let unknown = (key: "9", position: 1)
        let documents = [(key: "1", position: 1), (key: "3", position: 1), unknown]
        try EmbeddedBackend.erase(documents, in: self.folder.url.path)
        #expect(try self.folder.documents() == ["B-1/IDCARD_FRONT_APP-2.jpg"])
        let ledger = try self.folder.ledger()
        #expect(ledger.map(\.businessNo) == ["", "B-1", ""])
        #expect(ledger.map(\.userNo) == ["", "user-1", ""])
        #expect(ledger.map(\.file.isEmpty) == [true, false, true])
        #expect(ledger.map(\.imageSha256.isEmpty) == [true, false, true])
        #expect(ledger.map(\.contentSha256.isEmpty) == [true, false, true])
        #expect(ledger.map(\.sequence) == [1, 2, 3])
        try EmbeddedBackend.erase(documents, in: self.folder.url.path)
        #expect(try self.folder.ledger().map(\.businessNo) == ["", "B-1", ""], "once more is the same")
        try await withBackend(in: self.folder) { client async throws in
            #expect(try await client.upload(.single(), key: "\"4\"").retcode == "000000", "it is not known any more")
        }
        #expect(try self.folder.documents() == ["B-1/IDCARD_FRONT_APP-2.jpg", "B-1/IDCARD_FRONT_APP-3.jpg"])
    }

    @Test func `Nothing of an erased picture or number is left in any file, nor the digest of a refused upload`()
        async throws
    {
        let image = HandWrittenForm.jpeg.dropLast(2) + Self.canary + [0xFF, 0xD9]
        let form = HandWrittenForm.single(number: "canary-number", image: image)
        try await withBackend(in: self.folder) { client async throws in
            for (key, code) in [("1", "000000"), ("2", "000001")] {
                #expect(try await client.upload(form, key: "\"\(key)\"").retcode == code)
            }
        }
        let digest = try #require(try self.folder.ledger().first).contentSha256
        let traces = [Self.canary, Array("canary-number".utf8), Array(digest.utf8)]
        for trace in traces { #expect(try !self.folder.files(holding: trace).isEmpty) }
        try EmbeddedBackend.erase([(key: "1", position: 1), (key: "2", position: 1)], in: self.folder.url.path)
        for trace in traces { #expect(try self.folder.files(holding: trace) == []) }
        let again = try await withBackend(in: self.folder) { try await $0.upload(form, key: "\"2\"") }
        #expect(again.status == 422, "its content is not known")
    }

    @Test func `Of a batch the other documents stay, under the key and the content of before`() async throws {
        let form = HandWrittenForm.batch([.init(number: "B-1"), .init(number: "B-2")])
        try await withBackend(in: self.folder) { client async throws in
            #expect(try await client.upload(form, key: "\"1\"").retcode == "000000")
        }
        for (position, isKnown) in [(1, true), (2, false)] {
            try EmbeddedBackend.erase([(key: "1", position: position)], in: self.folder.url.path)
            try await withBackend(in: self.folder) { client async throws in
                let answer = try await client.upload(form, key: "\"1\"")
                #expect(answer.isReplay == isKnown && answer.status == (isKnown ? 200 : 422))
            }
        }
        #expect(try self.folder.ledger().map(\.following) == [1, 0])
    }

    @Test func `A folder in use is left alone`() async throws {
        try await withBackend(in: self.folder) { client async throws in
            _ = try await client.upload(.single(), key: "\"1\"")
            let error = #expect(throws: EmbeddedError.self) {
                try EmbeddedBackend.erase([(key: "1", position: 1)], in: self.folder.url.path)
            }
            #expect(error?.code == .folderInUse)
            #expect(try await client.upload(.single(number: "B-2"), key: "\"2\"").retcode == "000000")
        }
        #expect(try self.folder.documents().count == 2)
    }

    @Test func `A folder that is not there holds nothing, and is not made`() throws {
        let path = NSTemporaryDirectory() + "no-backend-\(UUID().uuidString)"
        try EmbeddedBackend.erase([(key: "1", position: 1)], in: path)
        #expect(!FileManager.default.fileExists(atPath: path))
    }
}
