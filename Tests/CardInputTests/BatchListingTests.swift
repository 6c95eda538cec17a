import CardModel
import CardStore
import Testing

@testable import CardInput

/// What a listing hands on.
@Suite struct BatchListingTests {
    private let folder = TemporaryFolder()

    @Test func `All photos of a number come in one group, numbers in the order of their first photo`() throws {
        try self.folder.write("1.jpg", "2.jpg", "3.jpg", "4.jpg", "5.jpg")
        let rows = [("3", "B"), ("1", "A"), ("5", "B"), ("4", "C"), ("2", "A")]
        try self.folder.write("m.csv", text: "path,business_no\n" + rows.map { "\($0).jpg,\($1)\n" }.joined())
        let groups = try self.folder.listing(manifest: "m.csv").list.groups
        #expect(groups.map { $0.map(\.metadata.businessNumber.rawValue) } == [["B", "B"], ["A", "A"], ["C"]])
        let names = groups.map { $0.map { $0.name.reveal().dropFirst(self.folder.path.count + 1) } }
        #expect(names == [["3.jpg", "5.jpg"], ["1.jpg", "2.jpg"], ["4.jpg"]])
    }

    /// Writes photos of the number L, each of a time by its place in the list.
    private func write(_ names: [String], time: (Int) -> Int) throws {
        for (index, name) in names.enumerated() {
            try self.folder.write("c/L/" + name)
            try self.folder.setTime("c/L/" + name, 1_700_000_000 + time(index))
        }
    }

    @Test(arguments: ["walked", "named", "pattern"])
    func `photos of a number come by their names, whatever their times say`(way: String) throws {
        let names = ["Copy of front.jpg", "front.jpeg", "front.jpg", "front (1).jpg", "IMG_2.jpg", "正面.jpg"]
        try self.write(names) { -$0 }
        let options = Listing.options(businessNumber: "L")
        let paths = way == "walked" ? ["c"] : way == "pattern" ? ["c/L/*"] : names.map { "c/L/" + $0 }
        let listing = try Listing(self.folder, paths: paths.map { self.folder[$0] }, options: options)
        #expect(listing.order == names)
        #expect(listing.list.groups.joined().allSatisfy { $0.row == nil })
    }

    @Test(arguments: [
        ["front.jpg", "front (1).jpg", "front (2).jpg", "front (10).jpg"], ["Front2.jpg", "front10.JPG"],
        ["front.png", "front-2.jpg", "front-2b.jpg"], ["正面.jpg", "正面 (9).jpg", "正面 (11).jpg"],
        ["front.jpg", "front copy.jpg"], ["IMG_20260102_9.jpg", "IMG_20260102_10.jpg"],
    ])
    func `of photos of one time the natural order of their names decides`(names: [String]) throws {
        try self.write(names) { _ in 0 }
        #expect(try self.folder.listing("c").order == names)
    }

    @Test func `rows keep their order, and come after photos that no row names`() throws {
        try self.write(["1.jpg", "2.jpg", "3.jpg", "4.jpg"]) { $0 }
        try self.folder.write("c/m.csv", text: "path\nL/3.jpg\nL/1.jpg\n")
        let listing = try self.folder.listing("c", manifest: "c/m.csv")
        #expect(listing.order == ["2.jpg", "4.jpg", "3.jpg", "1.jpg"])
        #expect(listing.list.groups[0].map { $0.row != nil } == [false, false, true, true])
    }

    @Test(arguments: [(64, true), (65, false)])
    func `More photos of a number than an application has are refused, each of them`(count: Int, isTaken: Bool) throws {
        try self.folder.write("c/LOAN-1/front.jpg")
        for index in 0..<count { try self.folder.write("c/2026/\(index).jpg") }
        let listing = try self.folder.listing("c", "c/2026", "c").list
        // Named itself, the folder lends no number; here it is walked into.
        #expect(listing.refused.allSatisfy { $0.error.code == .businessNumberMissing })
        let walked = try self.folder.listing("c")
        #expect(walked.items.count == (isTaken ? count + 1 : 1))
        #expect(walked.list.refused.count == (isTaken ? 0 : count))
        #expect(walked.list.refused.allSatisfy { $0.error.code == .tooManyPhotos })
        #expect(
            walked.messages.allSatisfy {
                $0.contains("65 photos") && $0.contains("give the folder that holds the folders of the cases")
            }
        )
        #expect(Limits.photosPerNumber == 64)
    }

    @Test func `A sidecar and a folder that disagree are told both numbers`() throws {
        try self.folder.write("c/L-1/a.jpg")
        try self.folder.write("c/L-1/a.jpg.json", text: #"{"business_no": "L-2"}"#)
        let listing = try self.folder.listing("c")
        #expect(listing.lines == ["refuse business_no_conflict c/L-1/a.jpg"])
        #expect(listing.messages.allSatisfy { $0.contains("L-1") && $0.contains("L-2") })
        // Where folders name nothing, they contradict nobody.
        let options = Listing.options(from: .none)
        #expect(try self.folder.listing("c", options: options).lines == ["take L-2 c/L-1/a.jpg"])
        #expect(try self.folder.lines("c/L-1") == ["take L-2 c/L-1/a.jpg"])
    }
}
