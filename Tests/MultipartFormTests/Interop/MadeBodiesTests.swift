import Foundation
import MultipartForm
import Testing

@Suite(InteropRunner.isSetUp, .timeLimit(.minutes(30))) struct MadeBodiesTests {
    @Test
    func `bodies of other clients are read as their makers declare, however cut, and only whole`() async throws {
        let runner = try InteropRunner()
        let made = try await runner.made()
        let makers = Set(made.map { $0.maker.prefix { $0 != " " && $0 != "," } })
        #expect(makers.isSuperset(of: ["curl", "requests", "aiohttp", "node", "go"]))
        for item in made {
            let body = try Data(contentsOf: runner.folder.url.appending(path: item.body))
            let whole = try Outcome(body, contentType: item.type)
            #expect(whole.code == nil, "\(item.maker), \(item.case)")
            let digests = try await runner.digests(of: whole.parts.map(\.content))
            let found = zip(whole.parts.map(\.head), digests).map { head, digest in
                InteropRunner.Parsed.Part(
                    name: head.name,
                    filename: head.filename,
                    type: head.contentType,
                    sha256: digest
                )
            }
            #expect(found == item.parts, "\(item.maker), \(item.case)")
            let bytes = try Outcome(body, contentType: item.type, chunks: Chunks(sizes: [1]))
            #expect(bytes.parts == whole.parts, "\(item.maker), \(item.case), byte by byte")
            for cut in 0...body.count {
                let chunks = Chunks(sizes: [cut, .max])
                let outcome = try Outcome(body, contentType: item.type, chunks: chunks)
                let agrees = outcome.code == nil && outcome.parts == whole.parts
                #expect(agrees, "\(item.maker), \(item.case), cut after \(cut)")
            }
            // Cut short it is refused, never read as fewer parts.
            for cut in Set([0, 1, body.count / 3, body.count / 2, body.count - 3] + Array(0..<min(60, body.count - 2)))
            {
                let outcome = try Outcome(body.prefix(cut), contentType: item.type)
                #expect(outcome.code == .truncated, "\(item.maker), \(item.case), \(cut) bytes")
            }
        }
    }
}
