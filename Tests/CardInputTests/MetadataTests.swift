import CardInput
import CardModel
import Testing

/// Where the metadata of a card comes from.
@Suite struct MetadataTests {
    private let folder = TemporaryFolder()

    /// Which sources give a business number, and whose wins.
    struct Precedence: Sendable {
        var row: String?
        var sidecar: String?
        var option: String?
        var folder: String?
        var winner: String
    }

    @Test(arguments: [
        "front.jpg.json.txt", "front.jpg.JSON.TXT", "front (1).jpg.json", "front.jpg (1).json", "front (1).json",
    ])
    func `what an editor or a browser makes of a sidecar's name refuses the photo`(name: String) throws {
        try self.folder.write("c/L/front.jpg")
        try self.folder.write("c/L/" + name, text: #"{"expected_name": "李四"}"#)
        #expect(try self.folder.lines("c").contains("refuse sidecar_invalid c/L/front.jpg"))
        try self.folder.write("c/L/front (1).jpg", bytes: Listing.jpegStart + [1])
        #expect(try self.folder.lines("c").contains("take L c/L/front.jpg") == (name == "front (1).jpg.json"))
    }

    @Test(arguments: [
        Precedence(row: "R", sidecar: "S", option: "O", folder: "F", winner: "take R"),
        Precedence(sidecar: "S", option: "O", winner: "take S"),
        // One of the two is wrong, and nobody knows which.
        Precedence(sidecar: "S", option: "O", folder: "F", winner: "refuse business_no_conflict"),
        Precedence(sidecar: "F", folder: "F", winner: "take F"),
        // Such a folder names nothing.
        Precedence(sidecar: "S", folder: "New folder", winner: "take S"),
        Precedence(option: "O", folder: "F", winner: "take O"),
        Precedence(folder: "F", winner: "take F"),
        Precedence(winner: "refuse business_no_missing"),
        Precedence(row: "R", folder: "F", winner: "take R"),
        Precedence(row: "R", winner: "take R"),
        Precedence(sidecar: "S", winner: "take S"),
        Precedence(row: "", sidecar: "S", winner: "take S"),
        Precedence(sidecar: " ", folder: "F", winner: "take F"),
        // One that is given but wrong is not passed over.
        Precedence(row: String(repeating: "9", count: 65), folder: "F", winner: "refuse business_no_invalid"),
        Precedence(sidecar: "a\\u0007b", option: "O", winner: "refuse business_no_invalid"),
    ])
    func `The first source with a business number wins: row, sidecar, options, folder`(_ given: Precedence) throws {
        let image = (given.folder.map { $0 + "/" } ?? "") + "front.jpg"
        try self.folder.write("c/" + image)
        if let sidecar = given.sidecar {
            try self.folder.write("c/\(image).json", text: #"{"business_no": "\#(sidecar)"}"#)
        }
        if let row = given.row { try self.folder.write("m.csv", text: "path,business_no\nc/\(image),\(row)\n") }
        let listing = try self.folder.listing(
            "c",
            manifest: given.row.map { _ in "m.csv" },
            options: Listing.options(businessNumber: given.option)
        )
        #expect(listing.lines == ["\(given.winner) c/\(image)"])
    }

    @Test func `Precedence goes field by field, and each input tells who said what`() throws {
        try self.folder.write("c/L/a.jpg", "c/L/b.jpg")
        try self.folder.write("m.csv", text: "path,expected_name,side,user_no\nc/L/a.jpg,王小明,front,\n")
        let sidecar =
            #"{"expected_name": "李四", "expected_id_number": "11010519491231002X", "side": null, "priority": 7}"#
        try self.folder.write("c/L/a.jpg.json", text: sidecar)
        var options = Listing.options()
        options.fields = try SubmittedFields([
            .userNumber: "U-1", .side: "国徽面", .priority: "5", .expectedIDNumber: "110101199003070011",
        ])
        let items = try self.folder.listing("c", manifest: "m.csv", options: options).items
        var first = CardMetadata(businessNumber: try #require(BusinessNumber("L")), userNumber: Redacted("U-1"))
        var second = first
        (first.expectedIDNumber, first.expectedName) = (Redacted("11010519491231002X"), Redacted("王小明"))
        (first.side, first.priority) = (.front, 7)
        second.expectedIDNumber = Redacted("110101199003070011")
        (second.side, second.priority) = (.back, 5)
        #expect(items.map(\.metadata) == [first, second])
        #expect(
            items.map(\.origins) == [
                [
                    .businessNumber: .folder, .userNumber: .option, .side: .manifest(row: 2), .priority: .sidecar,
                    .expectedIDNumber: .sidecar, .expectedName: .manifest(row: 2),
                ],
                [
                    .businessNumber: .folder, .userNumber: .option, .side: .option, .priority: .option,
                    .expectedIDNumber: .option,
                ],
            ]
        )
    }

    @Test func `A sidecar belongs to the whole file name, is no input and is not counted`() throws {
        try self.folder.write("c/L/front.jpg", "c/L/back.jpg", "c/L/scan")
        try self.folder.write("c/L/front.jpg.json", text: #"{"user_no": "A"}"#)
        try self.folder.write("c/L/scan.json", text: #"{"user_no": 12345678901234567}"#)
        try self.folder.write("c/L/other.json", text: #"{"business_no": "B"}"#)
        let listing = try self.folder.listing("c")
        #expect(
            listing.lines == [
                "take L c/L/back.jpg", "take L c/L/front.jpg", "ignore c/L/other.json", "take L c/L/scan",
            ]
        )
        #expect(listing.metadata.map { $0.userNumber?.reveal() } == [nil, "A", "12345678901234567"])
    }

    @Test(arguments: ["front.jpg.JSON", "Front.jpg.json", "FRONT.JPG.Json"])
    func `upper and lower case of a sidecar's name do not matter`(name: String) throws {
        try self.folder.write("c/L/front.jpg")
        try self.folder.write("c/L/" + name, text: #"{"user_no": "A"}"#)
        try self.folder.write("m.csv", text: "path,business_no\nc/L/front.jpg,L\n")
        let options = Listing.options(businessNumber: "L")
        for listing in [
            try self.folder.listing("c"), try self.folder.listing(manifest: "m.csv"),
            try self.folder.listing("c/L/front.jpg", "c/L/" + name, options: options),
        ] {
            #expect(listing.lines == ["take L c/L/front.jpg"])
            #expect(listing.metadata.map { $0.userNumber?.reveal() } == ["A"])
        }
    }

    @Test func `a sidecar that is named exactly after one photo is not that of another`() throws {
        try self.folder.write("c/L/front.jpg", "c/L/Front.jpg", "c/L/back.jpg")
        try self.folder.write("c/L/front.jpg.json", text: #"{"user_no": "A"}"#)
        for name in ["back.jpg.json", "back.jpg.JSON"] { try self.folder.write("c/L/" + name, text: "{}") }
        let listing = try self.folder.listing("c")
        #expect(
            listing.lines == ["take L c/L/Front.jpg", "refuse sidecar_invalid c/L/back.jpg", "take L c/L/front.jpg"]
        )
        #expect(
            Dictionary(uniqueKeysWithValues: listing.items.map { ($0.path, $0.metadata.userNumber?.reveal()) })
                == [self.folder["c/L/Front.jpg"]: nil, self.folder["c/L/front.jpg"]: "A"]
        )
        #expect(listing.messages.allSatisfy { $0.contains("the photo has several sidecars") })
    }

    @Test(arguments: ["front.json", "FRONT.JSON", "Front.json"])
    func `what looks like the sidecar of a photo and is none refuses that photo`(name: String) throws {
        try self.folder.write("c/L/front.jpg", "c/L/back.jpg")
        try self.folder.write("c/L/" + name, text: #"{"expected_name": "张三"}"#)
        try self.folder.write("m.csv", text: "path,business_no\nc/L/front.jpg,L\n")
        let walked = try self.folder.listing("c")
        #expect(
            walked.lines.sorted() == [
                "ignore c/L/" + name, "refuse sidecar_invalid c/L/front.jpg", "take L c/L/back.jpg",
            ]
        )
        #expect(
            walked.messages.allSatisfy {
                $0.contains("the sidecar of front.jpg, for example, is front.jpg.json") && $0.contains("rename")
            }
        )
        #expect(try self.folder.listing(manifest: "m.csv").lines == ["refuse sidecar_invalid c/L/front.jpg"])
        try self.folder.write("c/L/front.jpg.json", text: "{}")
        #expect(try self.folder.listing("c").items.count == 2, "it has a sidecar of its own")
    }

    @Test func `A sidecar that the shell named together with its image is no input; named alone it is`() throws {
        try self.folder.write("L/front.jpg")
        try self.folder.write("L/front.jpg.json", text: #"{"business_no": "A"}"#)
        #expect(try self.folder.lines("L/front.jpg", "L/front.jpg.json") == ["take A L/front.jpg"])
        #expect(try self.folder.lines("L/front.jpg.json") == ["refuse business_no_missing L/front.jpg.json"])
    }

    @Test(arguments: [
        ("", "sidecar_invalid"), ("not json", "sidecar_invalid"), ("[]", "sidecar_invalid"),
        (#"{"business_no": ["张三"]}"#, "sidecar_invalid"), (#"{"business_no": true}"#, "sidecar_invalid"),
        (#"{"priority": 1.5}"#, "sidecar_invalid"), (#"{"bussiness_no": "张三"}"#, "sidecar_invalid"),
        (#"{"business_no": "张三""#, "sidecar_invalid"), (#"{"side": "张三"}"#, "field_invalid"),
        (#"{"priority": "张三"}"#, "field_invalid"), (#"{"priority": 1000001}"#, "field_invalid"),
        (#"{"user_no": "a\u0000b"}"#, "field_invalid"),
        (#"{"expected_name": "\#(String(repeating: "张", count: 257))"}"#, "field_invalid"),
        (#"{"user_no": "1", "user_no": "1"}"#, "field_duplicate"),
        (#"{"business_no": "L", "side": "back", "business\u005fno": "张三"}"#, "field_duplicate"),
        (#"{"path": "张三", "path": null, "user_no": "\":\"path"}"#, "field_duplicate"),
    ])
    func `A bad sidecar refuses its image, in words without its values`(_ text: String, _ code: String) throws {
        try self.folder.write("c/L/front.jpg", "c/L/good.jpg")
        try self.folder.write("c/L/front.jpg.json", text: text)
        let listing = try self.folder.listing("c")
        #expect(listing.lines == ["refuse \(code) c/L/front.jpg", "take L c/L/good.jpg"])
        #expect(listing.messages.allSatisfy { $0.contains("sidecar") && !$0.contains("张") })
    }

    @Test func `A number that JSON would write in another way is refused, and shown as it was written`() throws {
        try self.folder.write("c/M/a.jpg")
        // The decoder would make 1234570000000000 of it.
        try self.folder.write("c/M/a.jpg.json", text: #"{"business_no": 1.23457E+15}"#)
        let listing = try self.folder.listing("c")
        #expect(listing.lines == ["refuse sidecar_invalid c/M/a.jpg"])
        #expect(listing.messages.last?.contains("1.23457E+15") == true)
    }

    @Test func `A sidecar over the limit, a folder or a link in its place refuse the image; a BOM does not`() throws {
        try self.folder.write("c/L/1.jpg", "c/L/2.jpg", "c/L/3.jpg", "c/L/4.jpg", "c/L/5.jpg")
        try self.folder.write("c/L/5.jpg.json", text: String(repeating: " ", count: 65_534) + "{}")
        try self.folder.write("c/L/1.jpg.json", text: String(repeating: " ", count: 65_535) + "{}")
        try self.folder.makeFolder("c/L/2.jpg.json")
        try self.folder.link("c/L/3.jpg.json", to: "c/L/1.jpg.json")
        try self.folder.write("c/L/4.jpg.json", text: "\u{FEFF}{\"path\": \"4.jpg\"}\r\n")
        try self.folder.listing("c").expect([
            "refuse sidecar_invalid c/L/1.jpg", "refuse sidecar_invalid c/L/2.jpg",
            "refuse sidecar_invalid c/L/3.jpg",
            "take L c/L/4.jpg", "take L c/L/5.jpg",
        ])
    }

    @Test func `An image whose name leaves no room for a sidecar's has none`() throws {
        let name = String(repeating: "n", count: 251) + ".jpg"
        try self.folder.write("c/L/\(name)")
        #expect(try self.folder.lines("c") == ["take L c/L/\(name)"])
    }
}
