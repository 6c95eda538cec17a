import CardModel
import Testing

@testable import CardInput

/// Names that are never inputs, and those that are never business numbers.
@Suite struct IgnoredNameTests {
    private let folder = TemporaryFolder()

    @Test(arguments: [
        "#recycle", "#Recycle", "@eaDir", "@Recycle", "@Recently-Snapshot", "#snapshot", "~snapshot", ".snapshot",
        "$RECYCLE.BIN", "$Recycle.Bin", "RECYCLER", "System Volume Information", "FOUND.000", ".Trashes", ".Trash-1000",
        ".AppleDouble", "__MACOSX", "lost+found", "Network Trash Folder", "Temporary Items", "LOAN-1.bak", "LOAN-2~",
    ])
    func `A bin, snapshot or system folder is passed over with all in it`(name: String) throws {
        try self.folder.write("c/LOAN-1/front.jpg", "c/\(name)/ada-front.jpg", "c/\(name)/LOAN-9/bob-back.jpg")
        let rule = try #require(IgnoredNames.rule(matching: name))
        let options = Listing.options(businessNumber: "N")
        for options in [Listing.options(), options] {
            let listing = try self.folder.listing("c", options: options)
            #expect(listing.list.refused.isEmpty && listing.items.count == 1)
            #expect(listing.list.skipped == [rule: 1])
        }
        // A shell names it in passing, or a pattern does.
        let named = try self.folder.listing("c/LOAN-1", "c/" + name, options: options)
        let hidden = name.hasPrefix(".")
        #expect(named.items.count == (hidden ? 3 : 1), "a shell does not name a hidden one in passing")
        let pattern = try self.folder.listing("c/*", options: options)
        #expect(pattern.items.count == 1)
        #expect(pattern.list.skipped == (hidden ? [:] : [rule: 1]))
    }

    @Test(arguments: [
        "front.jpg.bak", "front.jpg~", "front.jpg.BAK", "front.jpg.old", "front.jpg.orig", "front.jpg.tmp",
        "front.jpg.part", "front.jpg.partial", "front.jpg.filepart", "front.jpg.crdownload", "front.jpg.download",
        "~$front.jpg", ".front.jpg", ".front.jpg.icloud", "._front.jpg", "front.jpg.!ut", "front.jpg.aria2",
        "Thumbs.db", "desktop.ini",
        "front.sync-conflict-20260101-120000-ABCDEFG.jpg", "front_conflict-20260101-120000.jpg",
        "front (conflicted copy 2026-01-01 120000).jpg", "front (Ada's conflicted copy 2026-01-01).jpg",
        "front（冲突副本）.jpg", "front (Ada 的冲突副本 2026-01-01).jpg", "front(冲突文件 2026).jpg", "front.Conflict.jpg",
        "front (SFConflict ada@x.cn 2026-01-01-12-00-00).jpg", "front_NAS_Jan-01-120000-2026_Conflict.jpg",
        "front [Conflict].jpg", "front (Case Conflict).jpg", "front.jpg_original", "front_original",
        "front.jpg.baiduyun.p.downloading", "front.jpg.6eF5f5aB", "front.jpg.k3XbQz", "front.jpg_.gstmp",
        "front.jpg.!sync", "front.jpg.bts", "~front.jpg", "front.jpg.uploading", "front.jpg.incomplete",
        "front.jpg.bc!", "front.JPG.DuckPart", "front.jpg.20260101",
    ])
    func `A backup or an unfinished copy beside a photo is passed over`(name: String) throws {
        try self.folder.write("c/L/front.jpg", "c/L/\(name)")
        let rule = try #require(IgnoredNames.rule(matching: name))
        let walked = try self.folder.listing("c")
        #expect(walked.lines == ["take L c/L/front.jpg"])
        #expect(walked.list.skipped == [rule: 1])
        let options = Listing.options(businessNumber: "N")
        #expect(try self.folder.listing("c/L/*", options: options).lines == ["take N c/L/front.jpg"])
        let shell = try self.folder.listing("c/L/" + name, "c/L/front.jpg", options: options)
        #expect(shell.items.count == (name.hasPrefix(".") ? 2 : 1))
        let meant = try self.folder.listing("c/L/" + name, options: options)
        #expect(meant.lines == ["take N c/L/\(name)"], "named alone it is meant")
    }

    @Test(arguments: [
        "New folder", "New Folder", "New folder (2)", "New folder 2", "NewFolder", "untitled folder",
        "untitled folder 3", "新建文件夹", "新建文件夹 (2)", "新建文件夹(12)", "新建文件夹（2）", "未命名文件夹", "新增資料夾", "Neuer Ordner (3)",
        "Nouveau dossier", "LOAN-1 - Copy", "LOAN-1 - Copy (2)", "LOAN-1 - 副本", "LOAN-1的副本", "Copy of LOAN-1",
        "LOAN-1 copy 2", "done", "failed", "100APPLE", "101CANON", "100_PANA", "102MEDIA", "999NIKON", "DCIM", "Camera",
        "Screenshots", "WeChat", "微信", "WhatsApp Images", "Telegram Desktop", "QQ", "FileRecv", "Scans", "Scan (2)",
        "scan001", "My Scans", "扫描件", "扫描 2", "LOAN-1 (2)", "LOAN-1(12)", "LOAN-1（3）", "LOAN-1 2", "LOAN-1 (copy)",
        "LOAN-1 (3rd copy)", "LOAN-1 (副本)", "LOAN-1副本", "LOAN-1 拷贝", "复件 LOAN-1", "复件 (2) LOAN-1",
        "LOAN-1 – Kopie", "LOAN-1 - Copia", "LOAN-1_copy", "Kopie von LOAN-1",
    ])
    func `A folder of new, copied or archived files or of a device is no business number`(name: String) throws {
        try self.folder.write("c/\(name)/front.jpg", "c/LOAN-1/front.jpg")
        let listing = try self.folder.listing("c")
        #expect(
            Set(listing.lines) == ["take LOAN-1 c/LOAN-1/front.jpg", "refuse business_no_missing c/\(name)/front.jpg"]
        )
        #expect(listing.messages.allSatisfy { $0.contains("rename the folder to the business number of the case") })
        for rule in ["root", "folder:1"] {
            let options = try Listing.options(from: BusinessNumberRule(rule))
            let path = self.folder[rule == "root" ? "c/" + name : "c"]
            #expect(try Listing(self.folder, paths: [path], options: options).lines.contains { $0.hasPrefix("refuse") })
        }
        // Whoever says the number otherwise is heard.
        #expect(try self.folder.listing("c", options: Listing.options(businessNumber: "N")).items.count == 2)
    }

    @Test(arguments: [
        "LOAN-1", "2026", "1", "(2)", "LOAN (2)", "COPY-17", "Newport 3", "recycle", "#1", "@17", "~1", "bak", "L.1",
        "副本", "~L.1", "CONFLICT-7", "L.6eF5f5aB", "untitled-7", "done-1",
        "LOAN-2 (2)", "LOAN-2 2", "LOAN-1-2", "20260101", "2026A001", "1004APPLE", "100LOANS", "Microcopy", "CAMERA-3",
    ])
    func `Other names may be business numbers`(name: String) throws {
        try self.folder.write("c/\(name)/front.jpg", "c/LOAN-1/front.jpg")
        #expect(try self.folder.lines("c").contains("take \(name) c/\(name)/front.jpg"))
    }

    @Test(arguments: [
        "Copy of front.jpg", "front - Copy.jpg", "front (1).jpg", "front - 副本.jpg", "front copy.jpg",
        "front_original.jpg", "front.jpg.edited.jpg", "conflict.jpg", "front.jpg.rotate",
    ])
    func `A whole photo that somebody copied is an input`(name: String) throws {
        try self.folder.write("c/L/\(name)", "c/L/front.jpg")
        let listing = try self.folder.listing("c")
        #expect(listing.items.count == 2)
        #expect(listing.list.skipped.isEmpty)
    }

    @Test func `A folder of files that were put away is passed over, unless it is named`() throws {
        try self.folder.write("in/L/a.jpg", "in/done/L-2/b.jpg", "in/x/c.jpg")
        for marked in ["in/done", "in/x"] { try self.folder.makeFolder(marked + "/" + IgnoredNames.archiveMark) }
        #expect(try self.folder.lines("in") == ["take L in/L/a.jpg"])
        #expect(try self.folder.lines("in/*") == ["refuse business_no_missing in/L/a.jpg"])
        #expect(try self.folder.lines("in/done") == ["take L-2 in/done/L-2/b.jpg"])
    }
}
