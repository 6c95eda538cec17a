import Testing

/// Each rule, held against small samples: that it can fail, and that it lets the good pass.
@Suite struct RuleSelfTests {
    private func swift(_ text: String, at path: String = "Sources/IDCardCore/Sample.swift") -> SourceText {
        SourceText(path: path, text: text)
    }

    @Test(
        "Log messages with values in them and keys that are not listed are found",
        arguments: [
            (#"logger.info("constant", metadata: ["card.id": "\(id)"])"#, 0),
            (#"logger.info("about \(name)")"#, 1), (#"self.logger.error(message)"#, 1),
            (#"logger.info("constant", metadata: ["name": "\(name)"])"#, 1),
            (#"var metadata: Logger.Metadata = ["name": "\(name)", "card.id": "\(id)"]"#, 1),
            (#"metadata["path"] = "\(path)""#, 1), (#"logger[metadataKey: "path"] = "\(path)""#, 1),
            (#"let words = ["name": "\(name)"]"#, 0), (#"// logger.info("about \(name)")"#, 0),
            ("logger.info(\n\"constant\",\nmetadata: [\n\"card.id\": \"1\",\n\"name\": \"2\",\n])", 1),
        ]
    )
    func logs(_ text: String, _ count: Int) {
        #expect(LogRule.findings(in: self.swift(text), listed: ["card.id"]).count == count)
    }

    @Test(
        "Imports against the table are found, others pass",
        arguments: [
            ("IDCardCore", "import GRDB", 1), ("IDCardCore", "import Crypto", 0),
            ("IDCardCore", "package import Foundation", 0),
            ("IDCardCore", "import IDCardPipeline", 1), ("MultipartForm", "import IDCardCore", 1),
            ("MultipartForm", "import Crypto", 1),
            ("IDCardSandbox", "package import GRDB", 0), ("IDCardSandbox", "import IDCardTriggers", 1),
            ("IDCardVerification", "@testable import IDCardDelivery", 1), ("IDCardEmbedded", "import IDCardCore", 1),
            ("IDCardEmbedded", "import OutboundHTTP", 1), ("IDCardApp", "import IDCardTesting", 1),
            ("IDCardApp", "import struct IDCardCore.CardID", 0),
            ("IDCardApp", "@preconcurrency import AsyncHTTPClient", 1),
            ("OutboundHTTP", "internal import AsyncHTTPClient", 0), ("IDCardCore", "import Unheard", 1),
            ("IDCardCore", "// import GRDB", 0), ("IDCardCore", "let text = \"import GRDB\"", 0),
            ("Unheard", "import Foundation", 1),
            ("IDCardTriggers", "import Subprocess", 1), ("IDCardServer", "import Hummingbird", 0),
            ("IDCardPipeline", "import NIOCore", 1),
            ("idcard-pipeline", "import ArgumentParser", 0), ("IDCardCore", "import ArgumentParser", 1),
        ]
    )
    func imports(_ module: String, _ line: String, _ count: Int) {
        let source = self.swift("// A file.\n\(line)\n", at: "Sources/\(module)/Sample.swift")
        let findings = ImportRule.findings(in: source)
        #expect(findings.count == count, "\(findings.report)")
        #expect(findings.allSatisfy { $0.line == (module == "Unheard" ? 1 : 2) })
    }

    @Test("A file of 501 lines and a function of 71 are too long; 500 and 70 are not")
    func lengths() {
        let lines = { (count: Int) in Array(repeating: "let x = 1", count: count).joined(separator: "\n") + "\n" }
        #expect(LengthRule.findings(in: self.swift(lines(500))).isEmpty)
        #expect(LengthRule.findings(in: self.swift(lines(501))).count == 1)
        #expect(
            LengthRule.findings(in: self.swift(lines(501).split(separator: "\n").joined(separator: "\r\n"))).count == 1
        )
        for (head, path) in [
            (
                "    package static func long(_ x: [Int] = [1].map { $0 }) async throws -> Int where A == B {\n",
                "Sources/A/a.swift"
            ),
            ("    init?(x: Int)\n    {\n", "Sources/A/a.swift"), ("static int long_one(int x)\n{\n", "Sources/A/a.c"),
            ("struct s *two(\n  int x) {\n", "Sources/A/a.c"),
        ] {
            let more = head.count(where: { $0 == "\n" })
            let body = { (count: Int) in "\n\n" + head + lines(count - more - 1) + "}\nlet y = 2\n" }
            #expect(LengthRule.findings(in: self.swift(body(70), at: path)).isEmpty)
            let findings = LengthRule.findings(in: self.swift(body(71), at: path))
            #expect(findings.map(\.line) == [3], "\(findings.report)")
        }
    }

    @Test("Requirements without body, braces in literals and comments do not confuse the counting of functions")
    func functions() {
        let source = self.swift(
            ##"""
            protocol P {
                func one(a: Int) -> Int
                func two()
                var x: Int { get }
            }
            struct S<T> {
                @Test("a {", arguments: [
                    1, 2,
                ])
                func three() {
                    let a = "}" + #"\}"# + "\(x.map { "{" })" // {
                    /* { /* { */ } */
                }
                init() {}
                static func == (a: S, b: S) -> Bool { a.init() == b }
            }
            """##
        )
        let functions = source.swiftFunctions()
        #expect(functions.map(\.name) == ["one", "two", "three", "init", "=="])
        #expect(functions.map(\.lines) == [1...1, 2...2, 9...12, 13...13, 14...14])
        #expect(functions[2].attributes.contains("@Test"))
        #expect(functions.map(\.types) == [["P"], ["P"], ["S"], ["S"], ["S"]])
    }

    @Test(
        "Banned words are found in code, not in comments and texts",
        arguments: [
            ("print(1)", 1), ("logger.print(1)", 0), ("debugPrint(1)", 0), ("func print(_ x: Int) {}", 0),
            ("let x = try! f()", 1),
            ("fatalError(\"x\")", 1),
            ("Task { await f() }", 1), ("// Because.\nTask { await f() }", 0), ("Task(priority: .high) {}", 1),
            ("Task<Void, Never> {}", 1),
            ("group.addTask { }", 0), ("let t = Task.detached { }", 1), ("try await Task.sleep(for: x)", 0),
            ("final class A: @unchecked Sendable {}", 1),
            ("// Locked by hand.\nfinal class A: @unchecked Sendable {}", 0),
            ("nonisolated(unsafe) var x = 1", 1), ("struct StringUtils {}", 1), ("enum PathHelper {}", 1),
            ("actor JobManager {}", 1),
            ("FileManager.default", 0), ("struct Managers {}", 1), ("struct Manageress {}", 0),
            ("// print( try! fatalError(", 0),
            ("let x = \"print( try!\"", 0), ("let x = \"\\(try! f())\"", 1), ("/* Task { } */", 0),
            ("let x = \"\"\"\n    print(1)\n    \"\"\"", 0),
            ("// TO" + "DO later", 1), ("let x = 1 // FIX" + "ME", 1),
        ]
    )
    func words(_ text: String, _ count: Int) {
        let findings = WordRule.findings(in: self.swift(text))
        #expect(findings.count == count, "\(findings.report)")
    }

    @Test(
        "File and folder names that say nothing are found",
        arguments: [
            ("Sources/A/StringUtils.swift", 1), ("Sources/A/Helpers/X.swift", 1), ("Sources/A/Common/X.swift", 1),
            ("Sources/A/Card.swift", 0),
            ("Sources/A/FileManager+fsync.swift", 1), ("Sources/A/CommonName.swift", 0),
        ]
    )
    func names(_ path: String, _ count: Int) {
        #expect(WordRule.findings(in: self.swift("let x = 1", at: path)).count == count)
    }

    @Test(
        "A function that looks like a test and never runs is found, and so is a sleep",
        arguments: [
            ("@Suite struct A {\n    func testOne() {}\n}", 1), ("struct A {\n    @Test func testOne() {}\n}", 0),
            ("struct ATests {\n    func works() { #expect(true) }\n}", 1),
            ("struct ATests {\n    @Test(\"x\")\n    func works() { #expect(true) }\n}", 0),
            (
                "struct ATests {\n    @Test(\n        \"x\",\n        arguments: [(1)]\n    )\n    func works(x: Int) {\n        #expect(true)\n    }\n}",
                0
            ),
            ("struct ATests {\n    private func check() { #expect(true) }\n    @Test func works() { check() }\n}", 0),
            ("struct Form {\n    func check() throws { try #require(1) }\n}", 0), ("func tester() {}", 0),
            ("@Test func a() async { try await Task.sleep(for: .seconds(1)) }", 1), ("@Test func a() { usleep(1) }", 1),
            ("@Test func a() {\n    // The kernel gives no event for this.\n    usleep(1)\n}", 0),
            ("func sleep(for duration: Duration) {}", 0),
        ]
    )
    func tests(_ text: String, _ count: Int) {
        let findings = TestRule.findings(in: self.swift(text, at: "Tests/ATests/Sample.swift"))
        #expect(findings.count == count, "\(findings.report)")
    }

    @Test(
        "Declarations without documentation are found",
        arguments: [
            ("package struct A {}", 1), ("/// An A.\npackage struct A {}", 0), ("// An A.\npublic enum A {}", 1),
            ("struct A {}", 0),
            ("/// F.\n@discardableResult\npackage func f() {}", 0),
            ("@available(\n    *, deprecated\n)\npackage func f() {}", 1),
            ("/// F.\n@available(\n    *, deprecated\n)\npackage func f() {}", 0), ("    package static let x = 1", 1),
            ("    package private(set) var x = 1", 1), ("    private(set) package var x = 1", 1),
            ("    package init(x: Int) {}", 1),
            ("    package init?(_ x: Int) {}", 1), ("package import Foundation", 0), ("package extension A {", 0),
            ("    package var description: String { \"\" }", 0),
            ("    package func encode(to encoder: any Encoder) throws {}", 0),
            ("    package func encode(_ x: Int) {}", 1), ("    package init(from decoder: any Decoder) throws {}", 0),
            ("    package init(from decoder: any Decoder, x: Int) throws {}", 1),
            ("    package static func == (a: A, b: A) -> Bool { true }", 0),
            ("    package static func + (a: A, b: A) -> A { a }", 1),
            ("struct A: ParsableCommand {\n    package func run() async throws {}\n}", 0),
            ("    package func run() {}", 1), ("    package func run(_ x: Int) {}", 1),
            ("    package typealias A = Int", 1),
            ("package nonisolated(nonsending) func f<T>(_ x: T) {}", 1), ("let x = \"package func f() {}\"", 0),
            ("/// Old.\n\npackage struct A {}", 1),
            ("/// P.\npackage protocol P {\n    func f()\n    /// X.\n    var x: Int { get }\n}\nlet y = 1", 1),
            ("package static let configuration = 1", 1),
            ("struct A: ParsableCommand {\n    package static let configuration = 1\n}", 0),
            ("package subscript(metadataKey key: String) -> Int { 1 }", 1),
            ("struct H: LogHandler {\n    package subscript(metadataKey key: String) -> Int { 1 }\n}", 0),
            ("    package final class B {}", 1),
            ("    package mutating func hash(into hasher: inout Hasher) {}", 0),
        ]
    )
    func documentation(_ text: String, _ count: Int) {
        let findings = DocumentationRule.findings(in: self.swift(text))
        #expect(findings.count == count, "\(findings.report)")
    }

    @Test("A member that implements a requirement of one of our protocols is documented there")
    func requirements() {
        let owner = self.swift(
            "/// P.\npackage protocol P {\n    /// F.\n    func f(\n        of x: [Int: Int],\n        _ y: Int\n    ) async throws -> Int\n}\nstruct Q {\n    func g() {}\n}\n"
        )
        let requirements = DocumentationRule.requirements(in: owner)
        #expect(requirements == ["f(of:_:)"])
        #expect(DocumentationRule.findings(in: owner).isEmpty)
        let same = self.swift("package func f(of x: [Int: Int], _ y: Int) async throws -> Int { y }")
        #expect(DocumentationRule.findings(in: same, requirements: requirements).isEmpty)
        let other = self.swift("package func f(of x: Int) -> Int { x }")
        #expect(DocumentationRule.findings(in: other, requirements: requirements).count == 1)
    }

    @Test(
        "Absolute paths of a machine and settings of a package index are found",
        arguments: [
            ("cd /wo" + "rk/main", 1), ("\"/tmp/mi" + "ni/x\"", 1), ("https://example.org/wo" + "rk/x", 0),
            ("a/wo" + "rk/b", 0), ("/working/x", 0),
            ("pip install --index" + "-url https://example.org", 1), ("/tmp/x", 0), ("see (/wo" + "rk/shared)", 1),
        ]
    )
    func places(_ text: String, _ count: Int) {
        let findings = PlaceRule.findings(in: SourceText(path: "README.md", text: text))
        #expect(findings.count == count, "\(findings.report)")
    }

    @Test("Calls on paths that pass the owner of the folder by are found")
    func fileCalls() {
        let lines = ["let a = Glibc.open(path, 0)", "unlink(path)", "self.open(x)", "try open()", "FileCall.unlink(x)"]
        let path = "Sources/IDCardSandbox/X.swift"
        let findings = FileCallRule.findings(in: SourceText(path: path, text: lines.joined(separator: "\n")))
        #expect(findings.count == 2, "\(findings.report)")
    }

    @Test("Masking keeps every line and its length")
    func masking() {
        let text = "let a = \"é\\\"//\" // x\nlet b = #\"\"\"\n  {\n  \"\"\"#\n/* ü\n */ let c = '\"'\n"
        let mask = CodeMask.mask(text)
        #expect(mask.utf8.count == text.utf8.count)
        #expect(mask.utf8.count(where: { $0 == UInt8(ascii: "\n") }) == 6)
        #expect(mask.contains("let a =") && mask.contains("let c =") && !mask.contains("{") && !mask.contains("x"))
    }
}
