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
        #expect(walked.messages.allSatisfy { $0.contains("65 photos") && $0.contains("is the folder level right?") })
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
