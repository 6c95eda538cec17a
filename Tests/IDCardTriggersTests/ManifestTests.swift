import Foundation
import IDCardCore
import IDCardPipeline
import IDCardTriggers
import Testing

/// What a manifest may be and what it does.
@Suite struct ManifestTests {
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

    @Test(
        "CSV and JSON lines say the same, with and without byte order mark, CRLF and last line break",
        arguments: ["m.csv", "m.txt", "m.jsonl", "m.NDJSON"],
        ["", "bom", "crlf", "cut"]
    )
    func formats(_ name: String, _ variation: String) throws {
        let folder = try TemporaryFolder()
        try folder.write("in/LOAN-9/b.jpg", "in/a.jpg")
        var text = name.lowercased().hasSuffix("n") || name.hasSuffix("l") ? Self.jsonLines : Self.csv
        switch variation {
        case "bom": text = "\u{FEFF}" + text
        case "crlf": text = text.replacingOccurrences(of: "\n", with: "\r\n")
        case "cut": while text.hasSuffix("\n") { text.removeLast() }
        default: break
        }
        try folder.write("in/" + name, text: text)
        let listing = try Listing(folder, paths: [], manifest: folder["in/" + name])
        #expect(listing.lines == ["take LOAN-2 in/LOAN-9/b.jpg", "take LOAN-1 in/a.jpg"])
        let first = try #require(listing.metadata.first)
        #expect(first.expectedName?.reveal() == "王, 小明")
        #expect(first.expectedIDNumber?.reveal() == "11010519491231002X")
        #expect(first.userNumber?.reveal() == "U2")
        #expect(first.side == .back && first.priority == -3)
        #expect(listing.metadata.last?.side == .front)
        #expect(listing.metadata.last?.expectedName == nil)
    }

    @Test("Paths are relative to the manifest; the source is the path seen from where the user is")
    func relativePaths() throws {
        let folder = try TemporaryFolder()
        try folder.write("in/L/a.jpg", "L/b.jpg", "L/c.jpg")
        try folder.write("in/m.csv", text: "path\nL/a.jpg\n../L/b.jpg\n\(folder["L/c.jpg"])\n")
        let manifest = folder.relativePath(of: "in/m.csv")
        let listing = try Listing(
            folder,
            paths: [],
            manifest: manifest,
            options: ImageRules.options(businessNumber: "L")
        )
        let base = folder.relativePath(of: "in")
        #expect(
            listing.items.map { $0.source.reveal() } == [base + "/L/a.jpg", base + "/../L/b.jpg", folder["L/c.jpg"]]
        )
        #expect(listing.items.map { $0.path.reveal() } == [folder["in/L/a.jpg"], folder["L/b.jpg"], folder["L/c.jpg"]])
        #expect(listing.metadata.map(\.businessNumber.rawValue) == ["L", "L", "L"])
    }

    @Test("With paths, the manifest annotates what is found there, and its other rows follow")
    func annotates() throws {
        let folder = try TemporaryFolder()
        try folder.write("c/LOAN-1/a.jpg", "c/LOAN-1/b.jpg", "other/LOAN-3/z.jpg", "other/y.jpg")
        try folder.write("c/LOAN-1/odd.txt", text: "taken since a row names it")
        try folder.write(
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
        let listing = try Listing(folder, paths: [folder["c"]], manifest: folder["c/m.csv"])
        #expect(
            listing.lines == [
                "take LOAN-1 c/LOAN-1/a.jpg", "take R-1 c/LOAN-1/b.jpg", "take LOAN-1 c/LOAN-1/odd.txt",
                "refuse business_no_missing c/../other/LOAN-3/z.jpg", "take R-2 c/../other/y.jpg",
                "refuse source_unreadable c/LOAN-1/gone.jpg",
            ]
        )
        #expect(listing.metadata.map(\.side) == [nil, .back, nil, nil])
    }

    @Test("The manifest is no input, neither found in a folder nor named beside the images")
    func manifestIsNoInput() throws {
        let folder = try TemporaryFolder()
        try folder.write("c/L/a.jpg")
        try folder.write("c/L/m.csv", text: "path\na.jpg\n")
        try folder.link("c/L/link.csv", to: "c/L/m.csv")
        #expect(try Listing(folder, paths: [folder["c"]], manifest: folder["c/L/m.csv"]).lines == ["take L c/L/a.jpg"])
        let named = try Listing(
            folder,
            paths: [folder["c/L/a.jpg"], folder["c/L/m.csv"]],
            manifest: folder["c/L/link.csv"]
        )
        #expect(named.lines == ["refuse business_no_missing c/L/a.jpg"])
    }

    @Test("Rows of one file are one input, unless they name different business numbers")
    func repeatedRows() throws {
        let folder = try TemporaryFolder()
        try folder.write("a.jpg")
        try folder.write("m.csv", text: "path,business_no,side\na.jpg,L1,front\n./a.jpg,L1,back\na.jpg,L2,\n")
        for paths in [[], [folder["a.jpg"]]] {
            let listing = try Listing(folder, paths: paths, manifest: folder["m.csv"])
            #expect(listing.metadata.map(\.businessNumber.rawValue) == ["L1", "L2"])
            #expect(listing.metadata.map(\.side) == [.front, nil])
        }
    }

    @Test("A row whose file is missing, a folder or not a file is refused, each for itself")
    func missingFiles() throws {
        let folder = try TemporaryFolder()
        try folder.write("L/a.jpg")
        try folder.write(
            "m.csv",
            text: "path,business_no\nx/1.jpg,1\ny/1.jpg,1\nL,1\nL/a.jpg/b,1\nL/a.jpg,1\nL/a.jpg,\n"
        )
        let listing = try Listing(folder, paths: [], manifest: folder["m.csv"])
        #expect(
            listing.lines == [
                "refuse source_unreadable x/1.jpg", "refuse source_unreadable y/1.jpg", "refuse source_unreadable L",
                "refuse source_unreadable L/a.jpg/b", "take 1 L/a.jpg",
                "refuse business_no_missing L/a.jpg",
            ]
        )
    }

    @Test(
        "A manifest that cannot be understood is an error that names the row and never its values",
        arguments: [
            ("m.csv", "", "first row"),
            ("m.csv", "张三.jpg,LOAN-1,110105194912310021\n", "first row"),
            ("m.csv", "path;business_no\n张三.jpg;1\n", "first row"),
            ("m.csv", "path,bussiness_no,extra\n张三.jpg,1,\n", "\"bussiness_no\", \"extra\""),
            ("m.csv", "path,side,side\n张三.jpg,,\n", "twice"),
            ("m.csv", "path,side\na.jpg,\n,front\n", "row 3 of the manifest has no path"),
            ("m.csv", "path,side\na.jpg,张三\n", "row 2 of the manifest has a side"),
            ("m.csv", "path,priority\n\na.jpg,张三\n", "row 3 of the manifest has a priority"),
            ("m.csv", "path,priority\na.jpg,1000001\n", "row 2 of the manifest has a priority"),
            ("m.csv", "path,expected_name\na.jpg,张三,北京\n", "row 2 of the manifest has 3 values for 2 columns"),
            ("m.csv", "path,expected_name\na.jpg,\"张三\n", "quote"),
            ("m.csv", "path,expected_name\na.jpg,\"张三\"张\"\"\n", "row 2"),
            ("m.csv", "path,user_no\na.jpg,张\u{7}三\n", "row 2 of the manifest has a control character in user_no"),
            ("m.jsonl", "{\"path\": \"a.jpg\"}\n\n{\"path\": \"张三\n", "row 3 of the manifest is not a JSON object"),
            ("m.jsonl", "{\"path\": \"a.jpg\", \"nam\u{7}e\": \"张三\"}", "row 1"),
            ("m.jsonl", "{\"path\": \"a.jpg\", \"name\": \"张三\"}", "\"name\""),
            ("m.jsonl", "{\"business_no\": \"张三\"}", "row 1 of the manifest has no path"),
            ("m.jsonl", "{\"path\": \"a\\u0000张三\"}", "row 1 of the manifest has a path with a zero byte"),
            ("m.jsonl", "[\"张三\"]", "row 1 of the manifest is not a JSON object"),
        ]
    )
    func invalid(_ name: String, _ text: String, _ words: String) throws {
        let folder = try TemporaryFolder()
        try folder.write("a.jpg")
        try folder.write(name, text: text)
        let error = try #require(throws: BatchSourceError.self) {
            try Listing(folder, paths: [], manifest: folder[name])
        }
        #expect(error.code == .manifestInvalid)
        #expect(error.message.contains(words))
        for rendering in ["\(error)", String(reflecting: error), error.message] {
            #expect(!rendering.contains("张") && !rendering.contains("110105") && !rendering.contains(folder.path))
        }
    }

    @Test("A manifest in another encoding is an error that says what to do")
    func otherEncodings() throws {
        let folder = try TemporaryFolder()
        for bytes: [UInt8] in [[0xFF, 0xFE, 0x70, 0x00], Array("path\n".utf8) + [0xD5, 0xC5]] {
            try folder.write("m.csv", bytes: bytes)
            let error = try #require(throws: BatchSourceError.self) {
                try Listing(folder, paths: [], manifest: folder["m.csv"])
            }
            #expect(error.code == .manifestInvalid)
            #expect(error.message.contains("UTF-8"))
        }
    }

    @Test("A manifest that is missing, a folder or too large is an error of the run")
    func unreadable() throws {
        let folder = try TemporaryFolder()
        try folder.makeFolder("dir")
        try folder.write("m.csv", text: "path\n" + String(repeating: "a.jpg\n", count: 10))
        let code = { (name: String, limits: BatchLimits) in
            try #require(throws: BatchSourceError.self) {
                try Listing(folder, paths: [], manifest: folder[name], options: ImageRules.options(limits: limits))
            }.code
        }
        #expect(try code("none.csv", BatchLimits()) == .manifestUnreadable)
        #expect(try code("dir", BatchLimits()) == .manifestUnreadable)
        #expect(try code("m.csv", BatchLimits(manifestBytes: 64)) == .manifestTooLarge)
        #expect(try code("m.csv", BatchLimits(inputs: 9)) == .tooManyInputs)
        #expect(
            try Listing(
                folder,
                paths: [],
                manifest: folder["m.csv"],
                options: ImageRules.options(limits: BatchLimits(manifestBytes: 65))
            ).items.count == 1
        )
    }

    @Test("A row may name an image by its URL, whose metadata comes from the row and the options alone")
    func addresses() throws {
        let folder = try TemporaryFolder()
        try folder.write("c/LOAN-1/a.jpg")
        let url = "https://images.example/a.jpg?signature=1"
        try folder.write(
            "c/m.csv",
            text: """
                path,business_no,side
                \(url),R-1,front
                HTTP://images.example/b,R-1,
                \(url),R-1,back
                \(url),R-2,
                https://images.example/nobody's,,
                """
        )
        let listing = try Listing(folder, paths: [folder["c"]], manifest: folder["c/m.csv"])
        #expect(
            listing.lines == [
                "take LOAN-1 c/LOAN-1/a.jpg", "take R-1 \(url)", "take R-1 HTTP://images.example/b", "take R-2 \(url)",
                "refuse business_no_missing https://images.example/nobody's",
            ]
        )
        #expect(listing.metadata.map(\.side) == [nil, .front, nil, nil])
        #expect(listing.items.map { $0.address != nil } == [false, true, true, true, true])
        #expect(listing.items.compactMap { $0.address?.url.reveal() }.first == url)
        #expect(listing.items.dropFirst().allSatisfy { $0.path.reveal().isEmpty })
    }

    @Test("A source of the configuration is a folder with the manifest that it holds, or a manifest alone")
    func sources() throws {
        let folder = try TemporaryFolder()
        try folder.write("c/LOAN-1/a.jpg", "c/LOAN-1/b.jpg")
        let lines = { (source: String) in
            try BatchSource(source: folder[source], manifestNames: ["m.csv", "m.jsonl"], options: ImageRules.options())
                .items().map { "\(try $0.takenNumber) \(URL(filePath: $0.path.reveal()).lastPathComponent)" }
        }
        #expect(try lines("c") == ["LOAN-1 a.jpg", "LOAN-1 b.jpg"])
        try folder.write("c/m.jsonl", text: #"{"path": "LOAN-1/b.jpg", "business_no": "R-1"}"#)
        #expect(try lines("c") == ["LOAN-1 a.jpg", "R-1 b.jpg"])
        #expect(try lines("c/m.jsonl") == ["R-1 b.jpg"])
    }

    @Test(
        "A manifest without rows gives no inputs",
        arguments: [("m.csv", "path,business_no\n"), ("m.jsonl", ""), ("m.jsonl", "\n \n")]
    )
    func withoutRows(_ name: String, _ text: String) throws {
        let folder = try TemporaryFolder()
        try folder.write(name, text: text)
        #expect(try Listing(folder, paths: [], manifest: folder[name]).items.isEmpty)
    }
}
