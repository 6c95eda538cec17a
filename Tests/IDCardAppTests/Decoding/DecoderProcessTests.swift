import Foundation
import IDCardCore
import IDCardPipeline
import IDCardTesting
import Testing

@testable import IDCardApp

/// Images that are decoded in a child: the built command under limits of its own.
@Suite("Decoding in a child", .timeLimit(.minutes(Sanitizer.minutes(5))))
struct DecoderProcessTests {
    private static func imaging() throws -> AppConfiguration.Imaging {
        try AppConfiguration.load(file: nil, environment: ["HOME": "/nonexistent"], embedded: true).imaging
    }

    /// Every fixture that is an image, or pretends to be one.
    private static let fixtures =
        FileManager.default.enumerator(atPath: Project.fixtures.path)?
        .compactMap { $0 as? String }
        .filter { ["jpg", "jpeg", "png", "gif", "tif"].contains(($0 as NSString).pathExtension) }
        .sorted() ?? []

    @Test("The child makes of every fixture what this process makes of it, byte for byte", arguments: Self.fixtures)
    func sameBytes(name: String) throws {
        let preparation = ImagePreparation.recompressing(try Self.imaging(), executable: Project.binary.path)
        let source = try Data(contentsOf: Project.fixtures.appending(path: name))
        #expect(preparation.prepareIsolated(source) == preparation.prepare(source))
    }

    @Test("With imaging.isolation: process everything goes through the child, making smaller too")
    func isolation() throws {
        let imaging = try AppConfiguration.load(
            file: nil,
            environment: ["HOME": "/nonexistent", "IDCARD_IMAGING_ISOLATION": "process"],
            embedded: true
        ).imaging
        let here = ImagePreparation.recompressing(try Self.imaging())
        let source = try Data(contentsOf: Project.fixtures.appending(path: "orientations/mosaic-1.jpg"))
        let isolated = ImagePreparation.recompressing(imaging, executable: Project.binary.path)
        #expect(isolated.prepare(source) == here.prepare(source))
        let photo = try Data(contentsOf: Project.fixtures.appending(path: "cards/LOAN-2026-0001/front.jpg"))
        guard case .prepared(let image) = here.prepare(photo) else {
            Issue.record("the fixture was not prepared")
            return
        }
        #expect(isolated.shrink(image) == here.shrink(image))
        #expect(isolated.shrink(image) != nil)
        let broken = ImagePreparation.recompressing(imaging, executable: "/nonexistent")
        #expect(Self.reason(broken.prepare(source)) == "unavailable decoder_unavailable")
        #expect(broken.shrink(image) == nil)
    }

    @Test(
        "A child that dies of the image or talks nonsense rejects it; one that is killed or cannot work says nothing of it",
        arguments: [
            ("kill -SEGV $$", "refused decoder_crashed"), ("kill -XCPU $$", "refused decoder_crashed"),
            ("echo nonsense", "refused decoder_crashed"), ("exit 0", "refused decoder_crashed"),
            ("echo '{\"width\":1,\"height\":1,\"mayPass\":false}'; echo GIF89a", "refused decoder_crashed"),
            ("exit 71", "unavailable decoder_unavailable"), ("kill -KILL $$", "unavailable decoder_unavailable"),
        ]
    )
    func deaths(script: String, reason: String) throws {
        let tool = try Tool()
        let executable = try tool.secretFile("decoder", "#!/bin/sh\n\(script)\n", mode: 0o700)
        let preparation = ImagePreparation.recompressing(try Self.imaging(), executable: executable.path)
        let source = try Data(contentsOf: Project.fixtures.appending(path: "orientations/1.jpg"))
        #expect(Self.reason(preparation.prepareIsolated(source)) == reason)
    }

    private static func reason(_ outcome: ImagePreparation.Outcome) -> String {
        switch outcome {
        case .prepared: "prepared"
        case .refused(let reason, _): "refused \(reason)"
        case .unavailable(let reason, _): "unavailable \(reason)"
        }
    }

    @Test("A run with imaging.isolation: process delivers the same documents, and the command stays hidden")
    func endToEnd() async throws {
        let tool = try Tool()
        let pair = try tool.folder(
            "pair",
            ["S-1/front.jpg": "cards/LOAN-2026-0001/front.jpg", "S-1/back.jpg": "cards/LOAN-2026-0001/back.jpg"]
        )
        var digests: [[String]] = []
        for isolation in ["none", "process"] {
            let documents = tool.home.appending(path: "documents-\(isolation)")
            let arguments = [
                "run", pair.path, "--embedded", "--documents", documents.path,
                "--sandbox", tool.home.appending(path: "sandbox-\(isolation)").path,
            ]
            let outcome = try await tool.run(arguments, ["IDCARD_IMAGING_ISOLATION": isolation])
            #expect(outcome.status == 0, "\(outcome.errors)")
            digests.append(try tool.lines("ledger.jsonl", in: documents).map(\.imageSha256))
        }
        #expect(digests[0].count == 2)
        #expect(digests[0] == digests[1])
        #expect(try await !tool.run(["--help"]).output.contains("decode-image"))
    }
}
