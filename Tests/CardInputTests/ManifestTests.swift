import CardInput
import CardModel
import Foundation
import Testing

/// What a manifest may be and what it does.
@Suite struct ManifestTests {
    private let folder = TemporaryFolder()

    private static let csv = """
        path,business_no,user_no,expected_id_number,expected_name,side,priority
        LOAN-9/b.jpg,LOAN-2,U2,11010519491231002X,"王, 小明",back,-3
        a.jpg,LOAN-1,,,,FRONT,

        """

    private static let jsonLines = """
        {"path": "LOAN-9/b.jpg", "business_no": "LOAN-2", "user_no": "U2", "expected_id_number": "11010519491231002X", \
        "expected_name": "王, 小明", "side": "back", "priority": -3}

        {"path": "a.jpg", "business_no": "LOAN-1", "side": "FRONT", "priority": null}
        """

    @Test(arguments: ["m.csv", "m.jsonl", "x"])
    func `columns and keys may have their Chinese names, beside English ones and in sidecars`(_ name: String) throws {
        try self.folder.write("in/L/b.jpg")
        let values = [
            ("文件", "L/b.jpg"), ("业务编号", "LOAN-2"), ("账号", "U2"), ("身份证号", "11010519491231002X"),
            ("姓名", "王小明"), ("面", "国徽面"), ("优先级", "-3"),
        ]
        let object = "{" + values.map { #""\#($0)": "\#($1)""# }.joined(separator: ", ") + "}"
        let isCSV = name == "m.csv"
        let table = values.map(\.0).joined(separator: ",") + "\n" + values.map(\.1).joined(separator: ",")
        if name == "x" {
            try self.folder.write("in/L/b.jpg.json", text: object.replacing("LOAN-2", with: "L"))
        } else {
            try self.folder.write("in/" + name, text: (isCSV ? table : object).replacing("账号", with: "user_no"))
        }
        let listing = name == "x" ? try self.folder.listing("in") : try self.folder.listing(manifest: "in/" + name)
        listing.expect([name == "x" ? "take L in/L/b.jpg" : "take LOAN-2 in/L/b.jpg"])
        let first = try #require(listing.metadata.first)
        #expect(first.expectedName?.reveal() == "王小明" && first.userNumber?.reveal() == "U2")
        #expect(first.expectedIDNumber?.reveal() == "11010519491231002X")
        #expect(first.side == .back && first.priority == -3)
    }

    @Test(arguments: ["m.csv", "m.txt", "m.jsonl", "m.NDJSON"], ["", "bom", "crlf", "cut"])
    func `CSV and JSON lines say the same, whatever their line breaks`(_ name: String, _ variation: String) throws {
        try self.folder.write("in/LOAN-9/b.jpg", "in/a.jpg")
        var text = name.lowercased().hasSuffix("n") || name.hasSuffix("l") ? Self.jsonLines : Self.csv
        switch variation {
        case "bom": text = "\u{FEFF}" + text
        case "crlf": text = text.replacingOccurrences(of: "\n", with: "\r\n")
        case "cut": while text.hasSuffix("\n") { text.removeLast() }
        default: break
        }
        try self.folder.write("in/" + name, text: text)
        let listing = try self.folder.listing(manifest: "in/" + name)
        #expect(listing.lines == ["take LOAN-2 in/LOAN-9/b.jpg", "take LOAN-1 in/a.jpg"])
        let first = try #require(listing.metadata.first)
        #expect(first.expectedName?.reveal() == "王, 小明")
        #expect(first.expectedIDNumber?.reveal() == "11010519491231002X")
        #expect(first.userNumber?.reveal() == "U2")
        #expect(first.side == .back && first.priority == -3)
        #expect(listing.metadata.last?.side == .front)
        #expect(listing.metadata.last?.expectedName == nil)
    }

    @Test(arguments: [
        ("e\u{301}.jpg", "\u{E9}.jpg"), ("L/FRONT.JPG", "l/front.jpg"), ("L/a.jpg", "L/a.jpg \n"),
        ("L/a.jpg", "\u{A0}L/a.jpg"),
        ("Fotos e\u{301}/a.jpg", "Fotos \u{E9}/A.jpg"), ("L/a b.jpg", "file://{}/in/L/a%20b.jpg"),
        ("L/a.jpg", "FILE:/{}/in/L/a.jpg"),
    ])
    func `A row that writes the name of one file otherwise means that file`(file: String, written: String) throws {
        try self.folder.write("in/" + file)
        let path = written.replacingOccurrences(of: "{}", with: self.folder.path)
        let row = try String(decoding: JSONEncoder().encode(["path": path, "business_no": "L"]), as: UTF8.self)
        try self.folder.write("in/m.jsonl", text: row)
        let listing = try self.folder.listing(manifest: "in/m.jsonl")
        #expect(listing.items.map(\.path).map { Array($0.utf8) } == [Array(self.folder["in/" + file].utf8)])
    }

    @Test func `A row that may mean several files is refused with the difference, and an exact name is exact`() throws {
        try self.folder.write("in/a.jpg", "in/A.jpg")
        try self.folder.link("in/dead.jpg", to: "in/none.jpg")
        try self.folder.write("in/m.csv", text: "path,business_no\nA.JPG,L\na.jpg,L\ndead.jpg,L\nno.jpg,L\n")
        let listing = try self.folder.listing(manifest: "in/m.csv")
        listing.expect([
            "refuse source_unreadable in/A.JPG", "take L in/a.jpg", "refuse source_unreadable in/dead.jpg",
            "refuse source_unreadable in/no.jpg",
        ])
        #expect(
            listing.messages[0].contains("only in accents or in capital")
                && listing.messages[2].contains("no such file")
        )
    }

    @Test(arguments: ["A.JPG,OTHER\na.jpg,L\n", "a.jpg,L\nA.JPG,OTHER\n"])
    func `A row whose photo is missing does not get that of another row which is written alike`(rows: String) throws {
        try self.folder.write("in/a.jpg")
        try self.folder.write("in/m.csv", text: "path,business_no\n\(rows)")
        let expected: Set = ["refuse source_unreadable in/A.JPG", "take L in/a.jpg"]
        #expect(try Set(self.folder.listing(manifest: "in/m.csv").lines) == expected)
        // Nor where the folder is named beside the manifest.
        let manifest = self.folder.relativePath(of: "in/m.csv")
        let listing = try Listing(self.folder, paths: [self.folder["in"]], manifest: manifest)
        #expect(listing.items.map { $0.metadata.businessNumber.rawValue } == ["L"])
    }

    @Test func `Paths are relative to the manifest; the source is the path seen from where the user is`() throws {
        try self.folder.write("in/L/a.jpg", "L/b.jpg", "L/c.jpg")
        try self.folder.write("in/m.csv", text: "path\nL/a.jpg\n../L/b.jpg\n\(self.folder["L/c.jpg"])\n")
        let manifest = self.folder.relativePath(of: "in/m.csv")
        let options = Listing.options(businessNumber: "L")
        let listing = try Listing(self.folder, paths: [], manifest: manifest, options: options)
        let base = self.folder.relativePath(of: "in")
        #expect(
            listing.items.map { $0.name.reveal() } == [base + "/L/a.jpg", base + "/../L/b.jpg", self.folder["L/c.jpg"]]
        )
        #expect(
            listing.items.map(\.path) == [self.folder["in/L/a.jpg"], self.folder["L/b.jpg"], self.folder["L/c.jpg"]]
        )
        #expect(listing.metadata.map(\.businessNumber.rawValue) == ["L", "L", "L"])
    }

    @Test func `With paths, the manifest annotates what is found there, and its other rows follow`() throws {
        try self.folder.write("c/LOAN-1/a.jpg", "c/LOAN-1/b.jpg", "other/LOAN-3/z.jpg", "other/y.jpg")
        try self.folder.write("c/LOAN-1/odd.txt", text: "taken since a row names it")
        try self.folder.write(
            "c/m.csv",
            text: """
                path,business_no,side
                ../other/LOAN-3/z.jpg,,
                LOAN-1/odd.txt,,
                LOAN-1/b.jpg,R-1,back
                ../other/y.jpg,R-2,
                LOAN-1/gone.jpg,R-3,
                """
        )
        let listing = try self.folder.listing("c", manifest: "c/m.csv")
        listing.expect([
            "take LOAN-1 c/LOAN-1/a.jpg", "take R-1 c/LOAN-1/b.jpg", "take LOAN-1 c/LOAN-1/odd.txt",
            "refuse business_no_missing c/../other/LOAN-3/z.jpg", "take R-2 c/../other/y.jpg",
            "refuse source_unreadable c/LOAN-1/gone.jpg",
        ])
        #expect(listing.metadata.map(\.side) == [nil, .back, nil, nil])
    }

    @Test func `The manifest is no input, neither found in a folder nor named beside the images`() throws {
        try self.folder.write("c/L/a.jpg")
        try self.folder.write("c/L/m.csv", text: "path\na.jpg\n")
        try self.folder.link("c/L/link.csv", to: "c/L/m.csv")
        #expect(try self.folder.listing("c", manifest: "c/L/m.csv").lines == ["take L c/L/a.jpg"])
        let named = try self.folder.listing("c/L/a.jpg", "c/L/m.csv", manifest: "c/L/link.csv")
        #expect(named.lines == ["refuse business_no_missing c/L/a.jpg"])
    }

    @Test(arguments: ["m.csv", "m.jsonl"])
    func `rows of one file and number that differ are all refused, others are duplicates`(name: String) throws {
        try self.folder.write("a.jpg", "b.jpg", "c.jpg")
        let rows = [
            ("a.jpg", "L1", "front"), ("./a.jpg", "L1", "back"), ("a.jpg", "L2", ""), ("a.jpg", "L1", "front"),
            ("b.jpg", "L1", "back"), ("b.jpg", " L1", "BACK"),
        ]
        let text =
            name == "m.csv"
            ? "path,business_no,side\n" + rows.map { "\($0),\($1),\($2)\n" }.joined()
            : rows.map { #"{"path": "\#($0)", "business_no": "\#($1)", "side": "\#($2)"}"# + "\n" }.joined()
        try self.folder.write(name, text: text)
        for paths in [[], ["a.jpg", "b.jpg"]] {
            let paths = paths.map { self.folder[$0] }
            let listing = try Listing(self.folder, paths: paths, manifest: self.folder[name])
            #expect(
                listing.lines.sorted() == [
                    "duplicate b.jpg", "refuse row_conflict ./a.jpg", "refuse row_conflict a.jpg",
                    "refuse row_conflict a.jpg", "take L1 b.jpg", "take L2 a.jpg",
                ]
            )
            let named = name == "m.csv" ? ["rows 2 and 3", "rows 3 and 5"] : ["rows 1 and 2", "rows 2 and 4"]
            #expect(
                listing.messages.sorted().map { $0.prefix(12) } == [named[0], named[0], named[1]].map { $0.prefix(12) }
            )
        }
    }

    @Test(arguments: ["user_no", "side", "priority", "expected_id_number", "expected_name"])
    func `every field tells rows apart, of files and of addresses`(field: String) throws {
        try self.folder.write("c/L/a.jpg")
        let value = ["side": "back", "priority": "3", "expected_id_number": "11010519491231002X"][field] ?? "X"
        for path in ["L/a.jpg", "https://h/a.jpg"] {
            try self.folder.write("c/m.csv", text: "path,business_no,\(field)\n\(path),L,\n\(path),L,\(value)\n")
            let listing = try self.folder.listing("c", manifest: "c/m.csv")
            #expect(listing.list.refused.map(\.error.code.rawValue) == ["row_conflict", "row_conflict"])
            #expect(listing.items.count == (path.hasPrefix("https") ? 1 : 0))
        }
    }

    @Test func `rows are compared by what comes of them, with sidecar and options`() throws {
        try self.folder.write("c/a.jpg", "c/b.jpg")
        try self.folder.write("c/a.jpg.json", text: #"{"side": "front"}"#)
        try self.folder.write(
            "m.csv",
            text: "path,business_no,side\nc/a.jpg,L,\nc/a.jpg,,front\nc/b.jpg,L,\nc/b.jpg,,front\n"
        )
        let options = Listing.options(businessNumber: "L")
        try self.folder.listing(manifest: "m.csv", options: options).expect([
            "take L c/a.jpg", "duplicate c/a.jpg", "refuse row_conflict c/b.jpg", "refuse row_conflict c/b.jpg",
        ])
    }

    @Test func `each row that is refused for itself is listed`() throws {
        try self.folder.write("a.jpg")
        try self.folder.write("m.csv", text: "path,business_no,side\na.jpg,L1,up\na.jpg,L2,down\na.jpg,,\na.jpg,L3,\n")
        try self.folder.listing("a.jpg", manifest: "m.csv").expect([
            "refuse field_invalid a.jpg", "refuse field_invalid a.jpg", "refuse business_no_missing a.jpg",
            "take L3 a.jpg",
        ])
    }

    @Test func `A row whose file is missing, a folder or not a file is refused, each for itself`() throws {
        try self.folder.write("L/a.jpg")
        try self.folder.write(
            "m.csv",
            text: "path,business_no\nx/1.jpg,1\ny/1.jpg,1\nL,1\nL/a.jpg/b,1\nL/a.jpg,1\nL/a.jpg,\n"
        )
        let listing = try self.folder.listing(manifest: "m.csv")
        listing.expect([
            "refuse source_unreadable x/1.jpg", "refuse source_unreadable y/1.jpg", "refuse source_unreadable L",
            "refuse source_unreadable L/a.jpg/b", "take 1 L/a.jpg",
            "refuse business_no_missing L/a.jpg",
        ])
    }

    @Test(arguments: [
        ("m.csv", "", "first row"),
        ("m.csv", "张三.jpg,LOAN-1,110105194912310021\n", "first row"),
        ("m.csv", "path;business_no\n张三.jpg;1\n", "first row"),
        ("m.csv", "path,bussiness_no,extra\n张三.jpg,1,\n", "\"bussiness_no\", \"extra\""),
        (
            "m.csv", "path,business_no,,\na.jpg,L,,张\n",
            "row 2 of the manifest: the row has more values than there are columns (4 and 2)"
        ),
        ("m.csv", "path,,business_no\na.jpg,,L\n", "\"\""),
        (
            "m.csv", "path,business_no\na.jpg,L\n\nb.jpg,L,张\n",
            "row 4 of the manifest: the row has more values than there are columns (3 and 2)"
        ),
        ("m.csv", "path,business_no\na.jpg,=\"00123\"\n", "format the column as text"),
        ("m.csv", "path,side\na.jpg,\n,front\n", "row 3 of the manifest: there is no path"),
        (
            "m.csv", "path,expected_name\na.jpg,张三,北京\n",
            "row 2 of the manifest: the row has more values than there are columns (3 and 2)"
        ),
        ("m.csv", "path,expected_name\na.jpg,\"张三\n", "quote"),
        ("m.json", "[{\"path\": \"a.jpg\", \"expected_name\": \"张三\"}]", "is JSON"),
        ("m.csv", "PK\u{3}\u{4}张三", "is a workbook"), ("m.csv", "path;expected_name\na.jpg;张三\n", "not by semicolons"),
        ("m.csv", "path,busines_no\na.jpg,张三\n", "unknown columns: \"busines_no\""),
        ("m.csv", "path,expected_name\na.jpg,\"张三\"张\"\"\n", "row 2"),
        ("m.jsonl", "{\"path\": \"a.jpg\"}\n\n{\"path\": \"张三\n", "row 3 of the manifest: expected a JSON object"),
        ("m.jsonl", "{\"path\": \"a.jpg\", \"nam\u{7}e\": \"张三\"}", "row 1"),
        ("m.jsonl", "{\"path\": \"a.jpg\", \"name\": \"张三\"}", "\"name\""),
        ("m.jsonl", "{\"business_no\": \"张三\"}", "row 1 of the manifest: there is no path"),
        ("m.jsonl", "{\"path\": \"a\\u0000张三\"}", "row 1 of the manifest: the path contains a zero byte"),
        ("m.jsonl", "{\"path\": \"a.jpg\", \"user_no\": 10.0}", "row 1 of the manifest: a number is written"),
        ("m.jsonl", "[\"张三\"]", "row 1 of the manifest: expected a JSON object"),
    ])
    func `A manifest that cannot be understood is an error that names the row and never its values`(
        _ name: String,
        _ text: String,
        _ words: String
    ) throws {
        try self.folder.write("a.jpg")
        try self.folder.write(name, text: text)
        let error = try self.folder.error(manifest: name)
        #expect(error.code == .manifestInvalid)
        #expect(error.message.text().contains(words))
        for rendering in ["\(error)", "\(error.message)", String(reflecting: error)] {
            #expect(!rendering.contains("张") && !rendering.contains("110105") && !rendering.contains(self.folder.path))
        }
    }

    @Test(arguments: [
        ("m.csv", "path,side\na.jpg,张三\nb.jpg,\n", "field_invalid", "row 2 of the manifest: side"),
        ("m.csv", "path,priority\n\na.jpg,1000001\nb.jpg,1\n", "field_invalid", "row 3 of the manifest: priority"),
        ("m.csv", "path,user_no\na.jpg,张\u{7}三\nb.jpg,1\n", "field_invalid", "row 2 of the manifest: user_no"),
        ("m.csv", "path,user_no\na.jpg,1.23457E+15\nb.jpg,1\n", "field_invalid", "export the file again"),
        ("m.csv", "path,expected_id_number\na.jpg,4.40524E+17\nb.jpg,\n", "field_invalid", "expected_id_number"),
        ("m.csv", "文件,面\na.jpg,正面\nb.jpg,\n", "field_invalid", "front (人像面) nor back (国徽面)"),
        ("m.csv", "文件,姓名\na.jpg,姓名\nb.jpg,\n", "field_invalid", "expected_name is not a real value"),
        (
            "m.jsonl", "{\"文件\": \"a.jpg\", \"面\": \"反面\"}\n{\"文件\": \"b.jpg\"}", "field_invalid",
            "front (人像面) nor back (国徽面)"
        ),
        (
            "m.jsonl", "{\"path\": \"a.jpg\", \"side\": \"back\", \"面\": \"front\"}\n{\"path\": \"b.jpg\"}",
            "field_duplicate", "more than once (side)"
        ),
        (
            "m.jsonl",
            "{\"path\": \"a.jpg\", \"side\": \"back\", \"side\": \"front\"}\n{\"path\": \"b.jpg\"}",
            "field_duplicate", "row 1 of the manifest: a key is given more"
        ),
    ])
    func `Unusable values refuse their row alone`(name: String, text: String, code: String, words: String) throws {
        try self.folder.write("c/L/a.jpg", "c/L/b.jpg")
        try self.folder.write("c/L/" + name, text: text)
        for paths in [[], [self.folder["c"]]] {
            let options = Listing.options(businessNumber: paths.isEmpty ? "L" : nil)
            let listing = try Listing(self.folder, paths: paths, manifest: self.folder["c/L/" + name], options: options)
            #expect(listing.lines == ["refuse \(code) c/L/a.jpg", "take L c/L/b.jpg"])
            #expect(listing.messages.allSatisfy { $0.contains(words) && !$0.contains("张") })
        }
    }

    @Test(arguments: [
        ("m.csv", "path,side,side\na.jpg,,\n", "side"), ("m.csv", "path,side,path\na.jpg,,b.jpg\n", "path"),
        ("m.csv", "path,Business_No, business_no \na.jpg,1,2\n", "business_no"),
        ("m.csv", "文件,business_no,业务编号\na.jpg,1,2\n", "business_no (业务编号)"),
        ("m.csv", "文件,path\na.jpg,b.jpg\n", "path (文件)"),
        ("m.jsonl", "{\"path\": \"a.jpg\", \"文件\": \"b.jpg\"}", "more than once (path)"),
        (
            "m.jsonl", "{\"path\": \"a.jpg\", \"path\": \"b.jpg\"}",
            "row 1 of the manifest: a key is given more than once (path)"
        ),
    ])
    func `A column or path that stands twice is an error of the run`(name: String, text: String, words: String) throws {
        try self.folder.write("a.jpg", "b.jpg")
        try self.folder.write(name, text: text)
        let error = try self.folder.error(manifest: name)
        #expect(error.code == .fieldDuplicate)
        #expect(error.message.text().contains(words))
    }

    @Test(arguments: ["none.csv", "dir"])
    func `A manifest that is missing or a folder is an error of the run`(name: String) throws {
        try self.folder.makeFolder("dir")
        let error = try self.folder.error(manifest: name)
        #expect(error.code == .manifestUnreadable)
        #expect(error.message.text().contains(name) && !"\(error)".contains(name))
    }

    @Test func `A manifest that is too large is refused without being read`() throws {
        try self.folder.write("m.csv", text: "path\n")
        try FileHandle(forUpdating: URL(filePath: self.folder["m.csv"])).truncate(atOffset: 268_435_457)
        #expect(try self.folder.error(manifest: "m.csv").code == .manifestTooLarge)
    }

    @Test func `More rows than a list may have are refused`() throws {
        try self.folder.write("a.jpg")
        try self.folder.write("m.csv", text: "path,business_no\n" + String(repeating: "a.jpg,L\n", count: 10))
        #expect(
            try self.folder.listing(manifest: "m.csv", limit: 10).lines
                == ["take L a.jpg"] + Array(repeating: "duplicate a.jpg", count: 9)
        )
        #expect(try self.folder.error(manifest: "m.csv", limit: 9).code == .tooManyInputs)
    }

    @Test func `A row may name an image by its URL, shown without secrets; a slash counts, a blank does not`() throws {
        try self.folder.write("c/LOAN-1/a.jpg")
        let url = "https://images.example/a.jpg?signature=1"
        let rows = [
            (" \(url) ", "R-1"), ("HTTP://u:p@images.example/b#p@q", "R-1"), (url, "R-2"), ("https://h/a//b", "R-1"),
            ("https://h/a/b", "R-1"), ("https://h/a/b/", "R-1"), (#"\n https://h/a/b\r\n"#, "R-1"),
        ]
        let lines = rows.map { #"{"path": "\#($0)", "business_no": "\#($1)"}"# }
        try self.folder.write("c/m.jsonl", text: lines.joined(separator: "\n"))
        let listing = try self.folder.listing("c", manifest: "c/m.jsonl")
        listing.expect([
            "take LOAN-1 c/LOAN-1/a.jpg", "take R-1 https://images.example/a.jpg",
            "take R-1 HTTP://images.example/b", "take R-2 https://images.example/a.jpg",
            "take R-1 https://h/a//b", "take R-1 https://h/a/b", "take R-1 https://h/a/b/",
            "duplicate https://h/a/b",
        ])
    }

    @Test(arguments: [("m.csv", "path,business_no\n"), ("m.jsonl", ""), ("m.jsonl", "\n \n")])
    func `A manifest without rows is an empty list`(_ name: String, _ text: String) throws {
        try self.folder.write(name, text: text)
        let listing = try self.folder.listing(manifest: name)
        #expect(listing.lines.isEmpty)
        #expect(listing.emptiness != nil)
    }
}
