import CardModel
import CardStore
import Foundation
import Subprocess
import SystemPackage
import TestSupport
import Testing

extension Tool {
    /// Where the sandbox of real endpoints lies.
    var sandboxFolder: URL { self.home.appending(path: ".local/share/idcard-pipeline/sandbox") }

    /// Opens that sandbox with the home's own key; made if it is not there.
    func sandbox(fourEyes: Set<DecisionAction> = []) async throws -> Sandbox {
        let key = self.home.appending(path: ".config/idcard-pipeline/vault.key")
        let store = try await Sandbox.open(
            path: self.sandboxFolder.path,
            kind: .real,
            ring: try KeyRing(text: String(contentsOf: key, encoding: .utf8)),
            creating: true,
            now: Timestamp(Date())
        )
        try await store.decisions.requireSecond(for: fourEyes, by: AccessOrigin(actor: "test"), now: Timestamp(Date()))
        return store
    }

    /// Makes that sandbox with a photo of each number, none of which needs the outside.
    @discardableResult
    func admitting(_ numbers: [String]) async throws -> [CardID] {
        let store = try await self.sandbox()
        let cards = try await store.admitPhotos(numbers)
        try store.close()
        return cards
    }

    /// How many images of documents the built-in backend holds in its folder.
    func images() throws -> Int {
        try FileManager.default.subpathsOfDirectory(atPath: self.documents.path).count { $0.hasSuffix(".jpg") }
    }

    /// Runs a Python program that changes the database of the sandbox as its `db`.
    func plant(_ statements: String...) async throws {
        let program =
            "import sqlite3, sys; db = sqlite3.connect(sys.argv[1])\nfor s in sys.argv[2:]: db.execute(s)\ndb.commit()"
        let result = try await Subprocess.run(
            .path(FilePath(Project.root.appending(path: ".venv/bin/python3").path)),
            arguments: Arguments(
                ["-c", program, self.sandboxFolder.appending(path: "sandbox.sqlite3").path] + statements
            ),
            output: .discarded,
            error: .string(limit: 1 << 16)
        )
        #expect(result.terminationStatus.isSuccess, "\(result.standardError)")
    }
}

extension Sandbox {
    /// Takes in photos that need no outside: one of each number, told apart by it.
    @discardableResult
    func admitPhotos(_ numbers: [String], now: Timestamp = Timestamp(Date())) async throws -> [CardID] {
        var random = SystemRandomNumberGenerator()
        let admissions = numbers.map { number in
            let source = Data("source \(number)".utf8)
            let jpeg = Data("jpeg \(number)".utf8)
            return NewCard(
                id: CardID.generate(at: now, using: &random),
                photo: Photo(
                    .bytes(source, ContentDigest(of: source)),
                    name: Redacted("\(number).jpg"),
                    metadata: CardMetadata(businessNumber: BusinessNumber(stored: number))
                ),
                submitter: "local",
                source: ContentDigest(of: source),
                content: .prepared(PreparedImage(jpeg: jpeg, width: 100, height: 63, digest: ContentDigest(of: jpeg))),
                waitsUntil: now
            )
        }
        return try await self.intake.admit(admissions, now: now).map(\.card)
    }
}
