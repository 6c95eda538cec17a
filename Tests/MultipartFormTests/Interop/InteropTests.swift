import Foundation
import Testing

@testable import MultipartForm

@Suite(InteropRunner.isSetUp, .timeLimit(.minutes(10))) struct InteropTests {
    @Test(arguments: [TestSeed.value])
    func `node writes the same bytes for the common subset and 600 forms of hostile names`(seed: UInt64) async throws {
        let runner = try InteropRunner()
        let cases = InteropCase.common + InteropCase.random(count: 600, seed: seed)
        try runner.write(cases)
        try await runner.node("encode")
        for item in cases {
            let agrees = try runner.encoded(item, by: "node") == allBytes(of: item.form())
            #expect(agrees, "\(item.name), seed \(seed)")
        }
    }

    @Test func `Curl -F writes the same bytes`() async throws {
        let runner = try InteropRunner()
        try runner.write(InteropCase.common)
        try await runner.python("curl")
        for item in InteropCase.common {
            let type = try String(
                contentsOf: runner.folder.url.appending(path: "\(item.name).curl.type"),
                encoding: .utf8
            )
            let boundary = try #require(type.components(separatedBy: "boundary=").last)
            let ours = try item.form(boundary: boundary)
            #expect(ours.contentType == type)
            #expect(runner.encoded(item, by: "curl") == allBytes(of: ours), "\(item.name)")
        }
    }

    @Test func `eight or more other parsers agree with us on names, file names, types and digests`() async throws {
        let runner = try InteropRunner()
        let parsed = try await self.parsed(InteropCase.common, runner: runner)
        let parsers = Set(parsed.map(\.parser)).count
        #expect(parsers >= 8)
        #expect(parsed.count == InteropCase.common.count * parsers)
        for item in InteropCase.common {
            let expected = try await runner.parts(of: item)
            #expect(expected.count == item.fields.count)
            for entry in parsed where entry.case == item.name {
                #expect(entry.error == nil, "\(entry.parser), \(entry.case)")
                let agrees =
                    entry.ordered ? entry.parts == expected : Self.sorted(entry.parts) == Self.sorted(expected)
                #expect(agrees, "\(entry.parser), \(entry.case): \(entry.parts)")
            }
        }
    }

    @Test func `A quote in a name ends none: each parser reads the same parts, %22 as it is or a quote`() async throws {
        let item = InteropCase(
            "quotes",
            [.text("na\"me", "1"), .file("f", "q\"uo\"te; filename=x.jpg", Data("2".utf8)), .text("\"", "3")]
        )
        let runner = try InteropRunner()
        let parsed = try await self.parsed([item], runner: runner)
        #expect(Set(parsed.map(\.parser)).count >= 8)
        let expected = Self.sorted(try await runner.parts(of: item))
        for entry in parsed {
            #expect(entry.error == nil, "\(entry.parser)")
            let found = entry.parts.map { part in
                InteropRunner.Parsed.Part(
                    name: part.name.replacingOccurrences(of: "%22", with: "\""),
                    filename: part.filename?.replacingOccurrences(of: "%22", with: "\""),
                    type: part.type,
                    sha256: part.sha256
                )
            }
            #expect(Self.sorted(found) == expected, "\(entry.parser)")
        }
    }

    /// The forms as every parser on this machine reads them.
    private func parsed(_ cases: [InteropCase], runner: InteropRunner) async throws -> [InteropRunner.Parsed] {
        try runner.write(cases)
        for item in cases {
            let form = try item.form()
            #expect(BoundaryProof.firstOccurrence(of: "--" + form.boundary.value, in: form.parts) == nil)
            _ = try runner.folder.file("\(item.name).body", allBytes(of: form))
        }
        try await runner.python("parse")
        try await runner.node("parse")
        try await runner.go()
        return try ["", "-node", "-go"].flatMap { try runner.parsed("parsed\($0).json") }
    }

    private static func sorted(_ parts: [InteropRunner.Parsed.Part]) -> [InteropRunner.Parsed.Part] {
        parts.sorted { "\($0)" < "\($1)" }
    }
}
