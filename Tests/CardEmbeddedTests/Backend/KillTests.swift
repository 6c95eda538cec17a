import CardEmbedded
import Foundation
import TestSupport
import Testing

/// The folder as a kill at any step leaves it, and what the next start makes of it.
@Suite(.timeLimit(.minutes(5))) struct KillTests {
    private let folder = BackendFolder()

    /// What an upload did last before the kill.
    enum UploadStep: CaseIterable {
        case folder, imageBegun, firstImage, images
        /// Of two lines a part of the first, the first, and a part of the second.
        case lineBegun, firstLine, secondLineBegun
        /// Both, durable or not; and both again, after a failed flush whose lines could not be cut off.
        case lines, linesTwice

        var isWhole: Bool { self == .lines || self == .linesTwice }
    }

    /// What an erasure did last before the kill.
    enum ErasureStep: CaseIterable {
        case refusals, fileBegun, file, rename, image, folder

        var isDone: Bool { self == .rename || self == .image || self == .folder }
    }

    @Test(arguments: UploadStep.allCases)
    func `After any step of an upload its documents are stored once when it is sent again`(
        step: UploadStep
    ) async throws {
        let killed = try await KilledUpload(self.folder)
        try killed.leave(step)
        try await withBackend(in: self.folder) { client async throws in
            #expect(try killed.lines == (step.isWhole ? killed.whole : killed.before))
            #expect(try self.folder.documents() == Array(KilledUpload.documents.prefix(step.isWhole ? 3 : 1)))
            #expect(try self.folder.files(holding: Array("B-2".utf8)).isEmpty == !step.isWhole)
            let again = try await client.upload(KilledUpload.form, key: "\"3\"")
            #expect(again.itemCodes == ["000000", "000000"] && again.isReplay == step.isWhole)
            #expect(try await client.upload(.single(number: ""), key: "\"4\"").isReplay == step.isWhole)
            #expect(try await client.upload(.single(), key: "\"1\"").isReplay)
            #expect(try await client.upload(.single(number: "B-2"), key: "\"5\"").retcode == "000001")
        }
        #expect(try self.folder.ledger().map(\.idempotencyKey) == ["1", "3", "3"])
        #expect(try self.folder.ledger().map(\.sequence) == [1, 2, 3])
        #expect(try self.folder.refusals().map(\.idempotencyKey) == ["2", "4", "5"])
        #expect(try self.folder.documents() == KilledUpload.documents)
        for entry in try self.folder.ledger() {
            let image = try Data(contentsOf: self.folder.url.appending(path: entry.file))
            #expect(image == Data(HandWrittenForm.jpeg))
        }
    }

    @Test func `A kill at any byte of the lines leaves all lines of an upload or none, and no image without a line`()
        async throws
    {
        let killed = try await KilledUpload(self.folder)
        for cut in 0...(killed.whole[0].count - killed.before[0].count) {
            try killed.leave(lines: zip(killed.before, killed.whole).map { $1.prefix(max($0.count, $1.count - cut)) })
            try killed.leaveImages()
            // Opens the folder as a start does: nothing has this key.
            try EmbeddedBackend.erase([(key: "9", position: 1)], in: self.folder.url.path)
            #expect(try killed.lines == (cut == 0 ? killed.whole : killed.before), "\(cut)")
            #expect(try self.folder.documents() == Array(KilledUpload.documents.prefix(cut == 0 ? 3 : 1)), "\(cut)")
        }
    }

    @Test(arguments: ErasureStep.allCases)
    func `After any step of an erasure no other document is lost, and once more it leaves nothing`(
        step: ErasureStep
    ) async throws {
        let killed = try await KilledUpload(self.folder)
        let erased = [(key: "3", position: 1), (key: "4", position: 1)]
        try EmbeddedBackend.erase(erased, in: self.folder.url.path)
        let after = try killed.lines
        try killed.leave(step, after)
        try await withBackend(in: self.folder) { client async throws in
            let rest = step.isDone ? ["B-1", "", "B-3"] : ["B-1", "B-2", "B-3"]
            #expect(try self.folder.ledger().map(\.businessNo) == rest)
            let images = KilledUpload.documents.filter { !step.isDone || !$0.hasPrefix("B-2") }
            #expect(try self.folder.documents() == images)
            #expect(try await client.upload(.single(number: "B-3"), key: "\"5\"").retcode == "000001")
            #expect(try await client.upload(.single(), key: "\"1\"").isReplay)
            #expect(try await client.upload(KilledUpload.form, key: "\"3\"").isReplay)
        }
        #expect(try self.folder.files(holding: Array(".part".utf8)) == [])
        try EmbeddedBackend.erase(erased, in: self.folder.url.path)
        #expect(try killed.lines[0] == after[0])
        #expect(try self.folder.files(holding: Array("B-2".utf8)) == [])
    }
}

/// A backend with an upload and a refusal that a kill cannot touch, and an upload of two documents and a refusal that it
/// can.
private struct KilledUpload {
    static let documents = (1...3).map { "B-\($0)/IDCARD_FRONT_APP-1.jpg" }
    static let form = HandWrittenForm.batch([.init(number: "B-2"), .init(number: "B-3")])

    let folder: BackendFolder
    /// The bytes of ledger and refusals before the last upload and refusal, and after them.
    private(set) var before: [Data] = []
    private(set) var whole: [Data] = []

    init(_ folder: BackendFolder) async throws {
        self.folder = folder
        try await withBackend(in: folder) { client async throws in
            #expect(try await client.upload(.single(), key: "\"1\"").retcode == "000000")
            #expect(try await client.upload(.single(number: ""), key: "\"2\"").retcode == "200002")
        }
        self.before = try self.lines
        try await withBackend(in: folder) { client async throws in
            #expect(try await client.upload(Self.form, key: "\"3\"").retcode == "000000")
            #expect(try await client.upload(.single(number: ""), key: "\"4\"").retcode == "200002")
        }
        self.whole = try self.lines
    }

    private var files: [URL] { ["ledger.jsonl", "refusals.jsonl"].map { self.folder.url.appending(path: $0) } }

    var lines: [Data] { get throws { try self.files.map { try Data(contentsOf: $0) } } }

    func leave(lines: [Data]) throws { for (file, bytes) in zip(self.files, lines) { try bytes.write(to: file) } }

    /// Leaves the images of the last upload, and two that no upload names.
    func leaveImages() throws {
        let unnamed = ["B-1/IDCARD_FRONT_APP-2.jpg", "B-4/IDCARD_FRONT_APP-1.jpg"]
        for image in unnamed + Self.documents.dropFirst() { try self.folder.plantImage(image) }
    }

    func leave(_ step: KillTests.UploadStep) throws {
        for image in Self.documents.dropFirst() {
            try FileManager.default.removeItem(at: self.image(image).deletingLastPathComponent())
        }
        switch step {
        case .folder: try FileManager.default.createDirectory(at: self.image("B-2"), withIntermediateDirectories: false)
        case .imageBegun: try self.folder.plantImage(Self.documents[1], HandWrittenForm.jpeg.dropLast(4))
        case .firstImage: try self.folder.plantImage(Self.documents[1])
        default: try self.leaveImages()
        }
        try self.leave(
            lines: zip(self.before, self.whole).map { before, whole in
                let added = whole.dropFirst(before.count)
                let first = added.prefix { $0 != UInt8(ascii: "\n") }
                switch step {
                case .folder, .imageBegun, .firstImage, .images: return before
                case .lineBegun: return before + first.prefix(10)
                case .firstLine: return added.count > first.count + 1 ? before + first + Data("\n".utf8) : before
                case .secondLineBegun: return whole.dropLast()
                case .lines: return whole
                case .linesTwice: return whole + added
                }
            }
        )
    }

    /// Leaves what an erasure of the first document of the last upload did not come to.
    func leave(_ step: KillTests.ErasureStep, _ after: [Data]) throws {
        try self.leave(lines: [step.isDone ? after[0] : self.whole[0], after[1]])
        let part = self.folder.url.appending(path: "ledger.jsonl.part")
        switch step {
        case .refusals: try self.folder.plantImage(Self.documents[1])
        case .fileBegun, .file:
            try after[0].dropLast(step == .file ? 0 : 100).write(to: part)
            try self.folder.plantImage(Self.documents[1])
        case .rename: try self.folder.plantImage(Self.documents[1])
        case .image: try FileManager.default.createDirectory(at: self.image("B-2"), withIntermediateDirectories: false)
        case .folder: break
        }
    }

    private func image(_ name: String) -> URL { self.folder.url.appending(path: "documents/\(name)") }
}
