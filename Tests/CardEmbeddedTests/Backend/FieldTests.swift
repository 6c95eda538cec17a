import CardEmbedded
import Foundation
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct FieldTests {
    private let folder = BackendFolder()

    /// What is wrong, the code of the answer, and how the form is spoilt.
    typealias Flaw = (description: String, retcode: String, spoil: @Sendable (inout HandWrittenForm) -> Void)

    static let missing: [Flaw] = (0..<6).map { index in
        ("part \(index + 1) missing", "200001", { $0.parts.remove(at: index) })
    }
    static let empty: [Flaw] = (0..<5).map { index in
        ("field \(index + 1) empty", "200002", { $0.parts[index].body = [] })
    }
    static let renamed: [Flaw] = (0..<6).map { index in
        ("part \(index + 1) in lower case", "200001", { $0.parts[index].name = $0.parts[index].name.lowercased() })
    }
    static let swapped: [Flaw] = (0..<5).map { index in
        ("parts \(index + 1) and \(index + 2) swapped", "200001", { $0.parts.swapAt(index, index + 1) })
    }
    static let others: [Flaw] = [
        ("no part", "200001", { $0.parts = [] }),
        ("one part more", "200001", { $0.parts.append(.text("EXTRA", "x")) }),
        ("FILE twice", "200001", { $0.parts.append($0.parts[5]) }),
        ("TOKEN as a file", "200001", { $0.parts[0].filename = "token.txt" }),
        ("FILE as text", "200001", { $0.parts[5].filename = nil }),
        ("another BUSINESSTYPE", "200002", { $0.parts[2] = .text("BUSINESSTYPE", "LOAN") }),
        ("another DOCTYPE", "200002", { $0.parts[4] = .text("DOCTYPE", "IDCARD_FRONT") }),
        ("USERNO of blanks", "200002", { $0.parts[1] = .text("USERNO", "  ") }),
        ("BUSINESSNO with NUL", "200002", { $0.parts[3] = .text("BUSINESSNO", "a\u{0}b") }),
        ("BUSINESSNO with a line break", "200002", { $0.parts[3] = .text("BUSINESSNO", "a\r\nb") }),
        (
            "BUSINESSNO of 201 characters", "200002",
            { $0.parts[3] = .text("BUSINESSNO", String(repeating: "n", count: 201)) }
        ),
        ("BUSINESSNO not UTF-8", "200002", { $0.parts[3].body = [0xFF] }),
        ("the other side's file name", "200003", { $0.parts[5].filename = "IDBackImage.jpg" }),
        ("a file name with a folder", "200003", { $0.parts[5].filename = "a/IDFrontImage.jpg" }),
        ("an empty file name", "200003", { $0.parts[5].filename = "" }),
        ("image/png", "200003", { $0.parts[5].type = "image/png" }),
        ("no content type", "200003", { $0.parts[5].type = nil }),
        ("an empty file", "200003", { $0.parts[5].body = [] }),
        ("no SOI", "200003", { $0.parts[5].body[0] = 0 }),
        ("no EOI", "200003", { $0.parts[5].body.removeLast() }),
        ("bytes after EOI", "200003", { $0.parts[5].body.append(0) }),
        ("only SOI and EOI", "200003", { $0.parts[5].body = [0xFF, 0xD8, 0xFF, 0xD9] }),
        ("unknown TOKEN", "100002", { $0.parts[0] = .text("TOKEN", "token-0") }),
    ]

    @Test(arguments: [missing, empty, renamed, swapped, others].flatMap { $0 })
    func `Refuses it with a code and stores nothing`(flaw: Flaw) async throws {
        var form = HandWrittenForm.single()
        flaw.spoil(&form)
        try await withBackend(in: self.folder) {
            $0.tokens = ["token-1"]
        } body: { [form] client async throws in
            let answer = try await client.upload(form, key: "\"k\"")
            #expect(answer.status == 200)
            #expect(answer.retcode == flaw.retcode)
            #expect((answer.json["RETMSG"] as? String)?.isEmpty == false)
        }
        #expect(try self.folder.ledger().isEmpty)
        #expect(try self.folder.documents().isEmpty)
    }

    @Test func `Flags a back that comes before any front of its business number`() async throws {
        try await withBackend(in: self.folder) { client async throws in
            _ = try await client.upload(.single(number: "B-1", isFront: false), key: "\"1\"")
            _ = try await client.upload(.single(number: "B-1"), key: "\"2\"")
            _ = try await client.upload(.single(number: "B-2", isFront: false), key: "\"3\"")
            _ = try await client.upload(
                .single(number: "B-1", isFront: false, image: HandWrittenForm.jpeg.dropLast(2) + [0, 0xFF, 0xD9]),
                key: "\"4\""
            )
        }
        #expect(try self.folder.ledger().map(\.outOfOrder) == [true, false, true, false])
    }

    @Test func `says that a document exists when it has another key, and numbers different ones`() async throws {
        try await withBackend(in: self.folder) { client async throws in
            #expect(try await client.upload(.single(), key: "\"1\"").retcode == "000000")
            #expect(try await client.upload(.single(), key: "\"2\"").retcode == "000001")
            let other = HandWrittenForm.single(image: HandWrittenForm.jpeg.dropLast(2) + [0, 0xFF, 0xD9])
            #expect(try await client.upload(other, key: "\"3\"").retcode == "000000")
            #expect(try await client.upload(.single(number: "B-2"), key: "\"4\"").retcode == "000000")
        }
        #expect(try self.folder.ledger().map(\.sequence) == [1, 2, 3])
        #expect(try self.folder.refusals().map(\.retcode) == ["000001"])
        #expect(
            try self.folder.documents() == [
                "B-1/IDCARD_FRONT_APP-1.jpg", "B-1/IDCARD_FRONT_APP-2.jpg", "B-2/IDCARD_FRONT_APP-1.jpg",
            ]
        )
    }

    @Test func `Keeps hostile business numbers inside its folder, each in a folder of its own`() async throws {
        let numbers = [
            "../../../etc/cron.d/x", "..", ".", "/", "a/b", "a\\b", "%2e%2e", "a%2fb", ".hidden", "-rf", "a b", "号码",
            "*", "$(id)", "a.", "A", "a", "~", String(repeating: "n", count: 200), String(repeating: "号", count: 200),
            String(repeating: "号", count: 199) + "x",
        ]
        try await withBackend(in: self.folder) { client async throws in
            for (index, number) in numbers.enumerated() {
                let answer = try await client.upload(.single(number: number), key: "\"\(index)\"")
                #expect(answer.retcode == "000000", "\(number)")
            }
        }
        #expect(try self.folder.ledger().map(\.businessNo) == numbers)
        let documents = try self.folder.documents()
        #expect(documents.count == numbers.count)
        #expect(documents.allSatisfy { $0.split(separator: "/").count == 2 && $0.hasSuffix("/IDCARD_FRONT_APP-1.jpg") })
        #expect(Set(documents.map { $0.prefix { $0 != "/" } }).count == numbers.count)
        for entry in try self.folder.ledger() {
            #expect(FileManager.default.fileExists(atPath: self.folder.url.appending(path: entry.file).path))
        }
    }
}
