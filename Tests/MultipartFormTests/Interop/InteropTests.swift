import Foundation
import MultipartForm
import Testing

@Suite("Other people's programs", .timeLimit(.minutes(3)))
struct InteropTests {
    @Test("urllib3, requests-toolbelt and httpx write the same bytes for the common subset")
    func pythonEncoders() async throws {
        let runner = InteropRunner()
        try runner.write(InteropCase.common)
        try await runner.python("encode")
        for item in InteropCase.common {
            let ours = try allBytes(of: item.form())
            #expect(runner.encoded(item, by: "urllib3") == ours, "urllib3, \(item.name)")
            #expect(runner.encoded(item, by: "toolbelt") == ours, "requests-toolbelt, \(item.name)")
            guard let httpx = runner.encoded(item, by: "httpx") else {
                #expect(item.name == "repeated" || item.name == "utf8", "httpx wrote nothing for \(item.name)")
                continue
            }
            #expect(httpx == ours, "httpx, \(item.name)")
        }
    }

    @Test(
        "node writes the same bytes for the common subset and for hostile names",
        .enabled(if: InteropRunner.isInstalled("node"), "node is not installed")
    )
    func nodeEncoder() async throws {
        let runner = InteropRunner()
        let vector = InteropCase(
            "vector",
            [
                .text("a\nb\"c\\d%22", "v\r1\n2"),
                .file("文", "b\nc\"d\\e 护照.jpg", Data("DATA".utf8)),
            ]
        )
        let cases = InteropCase.common + [vector] + InteropCase.random(count: 300, seed: 20)
        try runner.write(cases)
        try await runner.node("encode")
        for item in cases {
            #expect(try runner.encoded(item, by: "node") == allBytes(of: item.form()), "\(item.name)")
        }
    }

    @Test(
        "curl -F writes the same bytes",
        .enabled(if: InteropRunner.isInstalled("curl"), "curl is not installed")
    )
    func curlEncoder() async throws {
        let runner = InteropRunner()
        try runner.write(InteropCase.common)
        try await runner.python("curl")
        let folder = try #require(runner.folder)
        for item in InteropCase.common {
            let type = try String(contentsOf: folder.url.appending(path: "\(item.name).curl.type"), encoding: .utf8)
            let boundary = try #require(type.components(separatedBy: "boundary=").last)
            let ours = try item.form(boundary: boundary)
            #expect(ours.contentType == type)
            #expect(try runner.encoded(item, by: "curl") == allBytes(of: ours), "\(item.name)")
        }
    }

    @Test("seven parsers from PyPI agree with us on names, file names, types and digests")
    func pythonParsers() async throws {
        let runner = InteropRunner()
        try self.writeForms(runner)
        try await runner.python("parse")
        let parsed = try runner.parsed("parsed.json")
        #expect(Set(parsed.map(\.parser)).count == 7)
        try await self.compare(parsed, runner: runner)
    }

    @Test(
        "node's parser agrees with us too",
        .enabled(if: InteropRunner.isInstalled("node"), "node is not installed")
    )
    func nodeParser() async throws {
        let runner = InteropRunner()
        try self.writeForms(runner)
        try await runner.node("parse")
        try await self.compare(runner.parsed("parsed-node.json"), runner: runner)
    }

    private func writeForms(_ runner: InteropRunner) throws {
        try runner.write(InteropCase.common)
        let folder = try #require(runner.folder)
        for item in InteropCase.common {
            let form = try item.form()
            try form.proveBoundaryAbsent()
            _ = try folder.file("\(item.name).body", allBytes(of: form))
        }
    }

    private func compare(_ parsed: [InteropRunner.Parsed], runner: InteropRunner) async throws {
        let parsers = Set(parsed.map(\.parser)).count
        #expect(parsed.count == InteropCase.common.count * parsers)
        for item in InteropCase.common {
            let digests = try await runner.digests(of: item)
            #expect(digests.count == item.fields.count)
            let expected = zip(item.fields, digests).map { field, digest in
                InteropRunner.Parsed.Part(name: field.name, filename: field.filename, type: field.type, sha256: digest)
            }
            for entry in parsed where entry.case == item.name {
                #expect(entry.error == nil, "\(entry.parser), \(entry.case)")
                let agrees =
                    entry.ordered ? entry.parts == expected : Self.sorted(entry.parts) == Self.sorted(expected)
                #expect(agrees, "\(entry.parser), \(entry.case): \(entry.parts)")
            }
        }
    }

    private static func sorted(_ parts: [InteropRunner.Parsed.Part]) -> [InteropRunner.Parsed.Part] {
        parts.sorted { "\($0)" < "\($1)" }
    }
}
