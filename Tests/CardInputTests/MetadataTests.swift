import CardInput
import CardModel
import Testing

/// Where the metadata of a card comes from.
@Suite struct MetadataTests {
    /// Which sources give a business number, and whose wins.
    struct Precedence: Sendable, CustomTestStringConvertible {
        var row: String?
        var sidecar: String?
        var option: String?
        var folder: String?
        var winner: String

        var testDescription: String {
            "\(self.row ?? "-") \(self.sidecar ?? "-") \(self.option ?? "-") \(self.folder ?? "-") → \(self.winner)"
        }
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
    ]
    )
    func `The first source that gives a business number wins: row, sidecar, options, folder`(_ given: Precedence) throws
    {
        let folder = try TemporaryFolder()
        let image = (given.folder.map { $0 + "/" } ?? "") + "front.jpg"
        try folder.write("c/" + image)
        if let sidecar = given.sidecar { try folder.write("c/\(image).json", text: #"{"business_no": "\#(sidecar)"}"#) }
        if let row = given.row { try folder.write("m.csv", text: "path,business_no\nc/\(image),\(row)\n") }
        let listing = try Listing(
            folder,
            paths: [folder["c"]],
            manifest: given.row == nil ? nil : folder["m.csv"],
            options: Listing.options(businessNumber: given.option)
        )
        #expect(listing.lines == ["\(given.winner) c/\(image)"])
    }

    @Test func `Precedence goes field by field`() throws {
        let folder = try TemporaryFolder()
        try folder.write("c/LOAN-1/front.jpg")
        try folder.write("m.csv", text: "path,expected_name,side,user_no\nc/LOAN-1/front.jpg,王小明,front,\n")
        try folder.write(
            "c/LOAN-1/front.jpg.json",
            text: #"{"expected_name": "李四", "expected_id_number": "11010519491231002X", "side": null, "priority": 7}"#
        )
        let options = Listing.options(userNumber: "U-1")
        let listing = try Listing(folder, paths: [folder["c"]], manifest: folder["m.csv"], options: options)
        let metadata = try #require(listing.metadata.first)
        let number = try #require(BusinessNumber("LOAN-1"))
        #expect(
            metadata
                == CardMetadata(
                    businessNumber: number,
                    userNumber: Redacted("U-1"),
                    expectedIDNumber: Redacted("11010519491231002X"),
                    expectedName: Redacted("王小明"),
                    side: .front,
                    priority: 7
                )
        )
        #expect(listing.items.count == 1)
    }

    @Test func `Options say of each photo what neither row nor sidecar says`() throws {
        let folder = try TemporaryFolder()
        try folder.write("c/L/a.jpg", "c/L/b.jpg")
        try folder.write("c/L/b.jpg.json", text: #"{"side": "国徽面", "expected_name": "李四"}"#)
        var options = Listing.options()
        options.fields = try SubmittedFields([
            .side: "front", .priority: "5", .expectedName: "张三", .expectedIDNumber: "11010519491231002X",
        ])
        let items = try Listing(folder, paths: [folder["c"]], options: options).items
        #expect(items.map(\.metadata.side) == [.front, .back])
        #expect(items.map { $0.metadata.expectedName?.reveal() } == ["张三", "李四"])
        #expect(items.map(\.metadata.priority) == [5, 5])
        #expect(items.map { $0.origins[.side] } == [.option, .sidecar])
        #expect(items.map { $0.origins[.expectedIDNumber] } == [.option, .option])
    }

    @Test func `A sidecar belongs to the whole file name, is no input and is not counted`() throws {
        let folder = try TemporaryFolder()
        try folder.write("c/L/front.jpg", "c/L/back.jpg", "c/L/scan")
        try folder.write("c/L/front.jpg.json", text: #"{"user_no": "A"}"#)
        try folder.write("c/L/scan.json", text: #"{"user_no": 12345678901234567}"#)
        // Named after the stem, so nobody's sidecar: a file like any other.
        try folder.write("c/L/back.json", text: #"{"business_no": "B"}"#)
        let listing = try Listing(folder, paths: [folder["c"]])
        #expect(
            listing.lines == [
                "take L c/L/back.jpg", "ignore c/L/back.json", "take L c/L/front.jpg", "take L c/L/scan",
            ]
        )
        #expect(listing.metadata.map { $0.userNumber?.reveal() } == [nil, "A", "12345678901234567"])
    }

    @Test func `A sidecar that the shell named together with its image is no input; named alone it is`() throws {
        let folder = try TemporaryFolder()
        try folder.write("L/front.jpg")
        try folder.write("L/front.jpg.json", text: #"{"business_no": "A"}"#)
        let both = try Listing(folder, paths: [folder["L/front.jpg"], folder["L/front.jpg.json"]])
        #expect(both.lines == ["take A L/front.jpg"])
        #expect(
            try Listing(folder, paths: [folder["L/front.jpg.json"]]).lines == [
                "refuse business_no_missing L/front.jpg.json"
            ]
        )
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
    ]
    )
    func `A sidecar that cannot be understood refuses its image, in words without its values`(
        _ text: String,
        _ code: String
    ) throws {
        let folder = try TemporaryFolder()
        try folder.write("c/L/front.jpg", "c/L/good.jpg")
        try folder.write("c/L/front.jpg.json", text: text)
        let listing = try Listing(folder, paths: [folder["c"]])
        #expect(listing.lines == ["refuse \(code) c/L/front.jpg", "take L c/L/good.jpg"])
        #expect(listing.messages.allSatisfy { $0.contains("sidecar") && !$0.contains("张") })
    }

    @Test
    func `A number that a spreadsheet damaged is refused from every source, and the message says how to export it`()
        throws
    {
        let folder = try TemporaryFolder()
        let number = "1.23457E+15"
        try folder.write("c/\(number)/folder.jpg", "c/L/row.jpg", "c/L/sidecar.jpg", "c/M/sidecar-number.jpg")
        try folder.write("c/L/sidecar.jpg.json", text: #"{"business_no": "\#(number)"}"#)
        // The decoder would make 1234570000000000 of it.
        try folder.write("c/M/sidecar-number.jpg.json", text: #"{"business_no": \#(number)}"#)
        try folder.write("m.csv", text: "path,business_no\nc/L/row.jpg,\(number)\n")
        let listing = try Listing(folder, paths: [folder["c"]], manifest: folder["m.csv"])
        #expect(
            listing.lines == [
                "refuse business_no_invalid c/\(number)/folder.jpg", "refuse business_no_invalid c/L/row.jpg",
                "refuse business_no_invalid c/L/sidecar.jpg", "refuse sidecar_invalid c/M/sidecar-number.jpg",
            ]
        )
        #expect(listing.messages.prefix(3).allSatisfy { $0.contains("format the column as text") })
        #expect(listing.messages.last?.contains("1.23457E+15") == true)
    }

    @Test
    func `A sidecar over the limit, a folder or a link in its place refuse the image; a byte order mark does not`()
        throws
    {
        let folder = try TemporaryFolder()
        try folder.write("c/L/1.jpg", "c/L/2.jpg", "c/L/3.jpg", "c/L/4.jpg", "c/L/5.jpg")
        try folder.write("c/L/5.jpg.json", text: String(repeating: " ", count: 65_534) + "{}")
        try folder.write("c/L/1.jpg.json", text: String(repeating: " ", count: 65_535) + "{}")
        try folder.makeFolder("c/L/2.jpg.json")
        try folder.link("c/L/3.jpg.json", to: "c/L/1.jpg.json")
        try folder.write("c/L/4.jpg.json", text: "\u{FEFF}{\"path\": \"4.jpg\"}\r\n")
        let listing = try Listing(folder, paths: [folder["c"]])
        #expect(
            listing.lines == [
                "refuse sidecar_invalid c/L/1.jpg", "refuse sidecar_invalid c/L/2.jpg",
                "refuse sidecar_invalid c/L/3.jpg",
                "take L c/L/4.jpg", "take L c/L/5.jpg",
            ]
        )
    }

    @Test func `An image whose name leaves no room for a sidecar's has none`() throws {
        let folder = try TemporaryFolder()
        let name = String(repeating: "n", count: 251) + ".jpg"
        try folder.write("c/L/\(name)")
        #expect(try Listing(folder, paths: [folder["c"]]).lines == ["take L c/L/\(name)"])
    }
}
