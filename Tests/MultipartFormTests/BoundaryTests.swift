import Foundation
import Testing

@testable import MultipartForm

@Suite struct BoundaryTests {
    @Test(arguments: ["X", "XbndX", "----WebKitFormBoundary7MA4", "-", String(repeating: "Z", count: 70)])
    func `A boundary is accepted when it has 1 to 70 letters, digits and dashes`(text: String) throws {
        #expect(try Boundary(text).value == text)
    }

    @Test(arguments: [
        "", String(repeating: "Z", count: 71), "a b", "a ", "a'", "(a)", "a+b", "a_b", "a,b", "a.b", "a/b", "a:b",
        "a=b",
        "a?b", "a\r\nb", "a\"b", "a\u{0}", "边界", "a\u{301}",
    ]) func `A boundary is refused when empty, too long or written with other characters`(text: String) throws {
        #expect(try formErrorCode { _ = try Boundary(text) } == .invalidBoundary)
    }

    @Test func `A boundary derived from a UUID holds its 32 digits and the ordinal`() {
        let boundary = Boundary.derived(from: "8e03978e-40d5-43e8-bc93-6894a57f9324", attempt: 3)
        #expect(boundary.value == "form-8e03978e40d543e8bc936894a57f9324-3")
    }

    @Test(
        arguments: ["", "a", "键", "key with blanks \r\n\"", String(repeating: "k", count: 300), "-----", "\u{0}"],
        [0, 1, Int.max, Int.min]
    ) func `A boundary derived from any key is valid and the same every time`(key: String, ordinal: Int) throws {
        let boundary = Boundary.derived(from: key, attempt: ordinal)
        #expect(try Boundary(boundary.value) == boundary)
        #expect(Boundary.derived(from: key, attempt: ordinal) == boundary)
    }

    @Test func `A boundary derived from another key or ordinal is another one`() {
        let keys = ["a", "b", "键", "é", "a b", "aqb"]
        let boundaries = keys.flatMap { key in (0..<3).map { Boundary.derived(from: key, attempt: $0) } }
        #expect(Set(boundaries).count == keys.count * 3)
    }

    @Test func `A boundary does not show itself in descriptions, debug output or dumps`() {
        let boundary = Boundary.derived(from: "secretkey", attempt: 0)
        var dumped = ""
        dump(boundary, to: &dumped)
        for text in ["\(boundary)", String(describing: boundary), String(reflecting: boundary), dumped] {
            #expect(!text.contains("secretkey"))
            #expect(!text.isEmpty)
        }
    }
}

@Suite struct BoundaryProofTests {
    static let line = "--" + Boundary.derived(from: "k", attempt: 0).value

    static let collisions: [String] = [
        line, "\(line)--", "\(line) and more text", "a\r\n\(line)", "a\r\n\(line)23", "\r\n\(line)\r\n", "a\n\(line)",
        "a\r\(line)", "-\r\n\(line)", "--\r\n\(line)", "--form\r\n\(line)", "\r\r\n\(line)",
        // In the middle of a line: Django, tornado and node do not mind where it stands.
        "x\(line)", "a\r\n \(line)", "-\(line)", "-----\(line)", "--form--form-k\(line)x",
    ]
    static let harmless: [String] = [
        "", "a\r\n\(String(line.dropLast()))", String(line.dropLast()), "-\(line.dropFirst(2))", "--Form-k-0",
        "\r\n--\r\n--form\r\n", "--form-k-\r\n0", "--form-k--0", "-- form-k-0",
    ]

    private static func holder(of parts: [MultipartForm.Part]) -> Int? {
        BoundaryProof.firstOccurrence(of: self.line, in: parts)
    }

    @Test(arguments: collisions)
    func `The proof of absence finds the boundary wherever it stands in a part`(content: String) {
        #expect(Self.holder(of: [plainFile(Data(content.utf8))]) == 1)
    }

    @Test(arguments: harmless) func `The proof of absence accepts near misses`(content: String) {
        #expect(Self.holder(of: [plainFile(Data(content.utf8))]) == nil)
    }

    @Test func `The proof of absence looks into text parts and files, slices too, and tells the position`() {
        let content = Data("a\r\n\(Self.line)".utf8)
        let bad: [MultipartForm.Part] = [
            .text("a\n\(Self.line)", name: "t"), plainFile(content), plainFile((noise(9) + content)[9...]),
        ]
        for part in bad { #expect(Self.holder(of: [.text("v", name: "n"), part]) == 2) }
        #expect(Self.holder(of: [plainFile((content + noise(9))[..<(content.count - 1)])]) == nil)
    }

    @Test func `The proof of absence leads to the smallest ordinal that is absent`() throws {
        let clean = [plainFile(Data("clean".utf8))]
        #expect(try Boundary.derived(from: "k", absentFrom: clean) == .derived(from: "k", attempt: 0))
        let content = Data("\(Self.line)\r\n--form-k-1\r\n--form-k-3".utf8)
        let parts = [plainFile(Data()), plainFile(content)]
        let boundary = try Boundary.derived(from: "k", absentFrom: parts)
        #expect(boundary == .derived(from: "k", attempt: 2))
        #expect(BoundaryProof.firstOccurrence(of: boundary.value, in: parts) == nil)
        #expect(try Boundary.derived(from: "k", absentFrom: parts) == boundary)
    }

    @Test func `The proof of absence passes over an ordinal that occurs without its dashes`() throws {
        let parts = [plainFile(Data("xform-k-0x".utf8))]
        #expect(try Boundary.derived(from: "k", absentFrom: parts) == .derived(from: "k", attempt: 1))
    }

    @Test func `The proof of absence gives up with a collision when content holds every ordinal`() throws {
        let content = (0..<64).map { "--form-k-\($0)\r\n" }.joined()
        let parts = [plainFile(Data(content.utf8))]
        #expect(try formErrorCode { _ = try Boundary.derived(from: "k", absentFrom: parts) } == .boundaryCollision)
    }
}
