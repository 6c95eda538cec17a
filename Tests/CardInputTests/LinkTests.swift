import CardInput
import CardModel
import Testing

/// Symbolic links in and to folders.
@Suite struct LinkTests {
    private let folder = TemporaryFolder()

    @Test func `Loops of links end, and every file appears once, under the folder it really lies in`() throws {
        try self.folder.write("c/LOAN-1/front.jpg", "c/LOAN-2/front.jpg")
        try self.folder.link("c/LOAN-1/up", to: "c")
        try self.folder.link("c/LOAN-1/self", to: "c/LOAN-1")
        try self.folder.link("c/LOAN-1/other", to: "c/LOAN-2")
        try self.folder.link("c/LOAN-2/other", to: "c/LOAN-1")
        try self.folder.link("c/AAA", to: "c/LOAN-1")
        try self.folder.link("c/dead", to: "c/dead")
        try self.folder.listing("c").expect([
            "take LOAN-1 c/LOAN-1/front.jpg", "take LOAN-2 c/LOAN-2/front.jpg", "ignore c/dead",
        ])
    }

    @Test func `A link to what lies in the folder but is not seen otherwise is followed`() throws {
        try self.folder.write("c/.store/one/photo.jpg", "c/.objects/abc")
        try self.folder.link("c/LOAN-1", to: "c/.store/one")
        try self.folder.link("c/LOAN-2/front.jpg", to: "c/.objects/abc")
        #expect(try self.folder.lines("c") == ["take LOAN-1 c/LOAN-1/photo.jpg", "take LOAN-2 c/LOAN-2/front.jpg"])
    }

    @Test func `A link out of the folder is not followed: refused if it may be or hold a photo, else ignored`() throws {
        try self.folder.write("out/secret.jpg", "out/dir/front.jpg", "c-2/front.jpg", "c/L/front.jpg")
        try self.folder.link("c/L/leak.jpg", to: "out/secret.jpg")
        try self.folder.link("c/L/missing.jpg", to: "out/none.jpg")
        try self.folder.link("c/L/folder", to: "out/dir")
        try self.folder.link("c/L/notes", to: "out/notes.txt")
        try self.folder.write("out/notes.txt", text: "no image")
        // A folder whose name only starts like the root's is outside too.
        try self.folder.link("c/L/sibling.jpg", to: "c-2/front.jpg")
        try self.folder.listing("c").expect([
            "refuse source_unreadable c/L/folder", "take L c/L/front.jpg", "refuse source_unreadable c/L/leak.jpg",
            "refuse source_unreadable c/L/missing.jpg", "ignore c/L/notes",
            "refuse source_unreadable c/L/sibling.jpg",
        ])
    }

    @Test func `A link named on the command line is followed, wherever it leads`() throws {
        try self.folder.write("out/LOAN-7/front.jpg")
        try self.folder.link("in/cards", to: "out")
        try self.folder.link("in/LOAN-8/front.jpg", to: "out/LOAN-7/front.jpg")
        try self.folder.listing("in/cards", "in/LOAN-8/front.jpg").expect([
            "take LOAN-7 in/cards/LOAN-7/front.jpg", "refuse business_no_missing in/LOAN-8/front.jpg",
        ])
    }

    @Test func `A link beside its file is the same input; under another business number it is another one`() throws {
        try self.folder.write("c/LOAN-1/front.jpg")
        try self.folder.link("c/LOAN-1/again.jpg", to: "c/LOAN-1/front.jpg")
        try self.folder.link("c/LOAN-2/front.jpg", to: "c/LOAN-1/front.jpg")
        #expect(try self.folder.lines("c") == ["take LOAN-1 c/LOAN-1/again.jpg", "take LOAN-2 c/LOAN-2/front.jpg"])
    }
}
