import CardModel
import Glibc
import SystemPackage

/// The names that are never inputs, and those that are never business numbers.
///
/// One list for runs, watched folders and the server. Field case F1.
///
/// A copied photo (`Copy of front.jpg`, `front - Copy.jpg`, `front (1).jpg`) is an input: turned or cut photos have such names,
/// too, and equal bytes are recognised later. A backup (`front.jpg.bak`) is not: it is an older state of the photo; nor is the
/// version that lost a conflict of synchronised folders.
package enum IgnoredNames {
    /// The empty folder that marks an archive of a watched folder.
    ///
    /// It is a folder rather than a file, so that programs that count or copy files only find those of their users.
    static let archiveMark = ".idcard-put-away"

    /// Whether a name is one of this program's own files: marks of folders, and files that are being moved or deleted.
    ///
    /// They are skipped without being counted.
    static func isOwn(_ name: String) -> Bool { name.hasPrefix(".idcard-") }

    /// Bins, snapshots and system folders of NAS, Windows, macOS, Linux and archives, and files of file managers.
    private static let names: Set<String> = [
        // Synology, QNAP, other NAS and file servers.
        "#recycle", "#snapshot", "@eadir", "@tmp", "@recycle", "@recently-snapshot", "@snapshot", "@sharebin",
        "~snapshot", "~snapmirror", "recycle.bin", "trashbox", "network trash folder", "temporary items",
        "thefindbycontentfolder",
        // Windows.
        "$recycle.bin", "recycler", "recycled", "system volume information", "$windows.~bt", "$windows.~ws",
        "config.msi", "msocache", "windowsimagebackup", "thumbs.db", "ehthumbs.db", "desktop.ini",
        // macOS, its archives, Linux.
        "__macosx", "icon\r", "lost+found",
    ]

    /// The rule for a Mac's placeholder of a file that is only in iCloud: `.front.jpg.icloud`.
    package static let iCloud = ".*.icloud"

    private static let backups = ["~", ".bak", ".backup", ".old", ".orig", "_original", ".swp"]

    /// Unfinished copies, downloads and uploads, and the files that programs store beside them.
    private static let unfinished = [
        ".tmp", ".temp", ".part", ".partial", ".filepart", ".duckpart", ".dtapart", ".crdownload", ".download",
        ".opdownload", ".fdmdownload", ".downloading",
        ".uploading", ".incomplete", ".gstmp", ".!ut", ".!qb", ".!bt", ".!sync", ".bts", ".bc!", ".jc!", ".aria2",
        ".td", ".xltd",
    ]

    private static let suffixes = backups + unfinished

    /// Returns the lower-case name of the file that another one marks as unfinished: `front.jpg` of `front.jpg.aria2`.
    static func unfinished(by name: String) -> String? {
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot > name.startIndex,
            self.unfinished.contains(name[dot...].lowercased())
        else { return nil }
        return name[..<dot].lowercased()
    }

    /// The marks that synchronisation puts into the name of the version that lost.
    ///
    /// Those of Syncthing, Nextcloud, Dropbox, Seafile, Synology Drive, Google Drive, Resilio, pCloud and Nutstore.
    private static let conflictMarks = [
        ".sync-conflict-", "_conflict-", "_conflict.", "_caseconflict.", ".conflict.", "[conflict", "(conflict",
        "conflicted copy", "(case conflict", "(sfconflict", "konflikt stehende kopie", "冲突副本", "冲突文件", "衝突副本",
        "衝突複本", "競合コピー",
    ]

    /// Returns the rule that skips a file or folder, for example `#recycle`, `*.bak` or `.*`; `nil` if none does.
    package static func rule(matching name: String) -> String? {
        let lowered = name.lowercased()
        if name.utf8.first == UInt8(ascii: ".") { return lowered.hasSuffix(".icloud") ? self.iCloud : ".*" }
        if self.names.contains(lowered) { return lowered.filter { !$0.isNewline } }
        if lowered.hasPrefix("found."), lowered.utf8.count == 9, Int(lowered.suffix(3)) != nil { return "found.*" }
        if lowered.hasPrefix("~$") { return "~$*" }
        if lowered.hasPrefix("~"), ImageFormat.isName(lowered) { return "~*" }
        if let mark = self.conflictMarks.first(where: { strstr(lowered, $0) != nil }) { return "*" + mark + "*" }
        if self.isBeingWritten(name) { return "*.RANDOM" }
        return self.suffixes.first { lowered.hasSuffix($0) && lowered.utf8.count > $0.utf8.count }.map { "*" + $0 }
    }

    /// Whether a name is that of an image with random characters appended: a temporary name while the file is written.
    ///
    /// S3 clients use eight hexadecimal digits, mkstemp(3) six letters and digits.
    private static func isBeingWritten(_ name: String) -> Bool {
        guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), ImageFormat.isName(String(name[..<dot])) else {
            return false
        }
        let ending = name[name.utf8.index(after: dot)...]
        if ending.utf8.count == 8 { return ending.allSatisfy(\.isHexDigit) }
        return ending.utf8.count == 6 && ending.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) }
            && ending.contains { $0.isUppercase || $0.isNumber }
    }

    // MARK: Business numbers

    /// The names that file managers give to new folders.
    private static let newFolders: Set<String> = [
        "new folder", "newfolder", "untitled folder", "untitled", "new directory", "新建文件夹", "新文件夹", "未命名文件夹",
        "无标题文件夹", "新增資料夾", "新資料夾", "未命名檔案夾", "neuer ordner", "nouveau dossier", "nueva carpeta",
        "nova pasta", "nuova cartella", "новая папка", "新しいフォルダー", "新規フォルダ", "새 폴더",
    ]

    /// The folders into which cameras, phones, messengers and scanners write the photos of all people.
    private static let devices: Set<String> = [
        // Cameras and phones.
        "dcim", "camera", "camera roll", "camera uploads", "pictures", "my pictures", "saved pictures", "photos",
        "screenshots", "download", "downloads", "相机", "相册", "照片", "图片", "我的图片", "截图", "截屏", "屏幕截图", "下载",
        "相機", "相簿", "圖片", "螢幕截圖", "下載",
        // Messengers.
        "wechat", "weixin", "wechat files", "xwechat_files", "micromsg", "wxwork", "whatsapp", "whatsapp images",
        "whatsapp documents", "telegram", "telegram desktop", "telegram images", "telegram documents", "qq",
        "qq_images", "qqfile_recv", "tencent", "tencent files", "filerecv", "mobilefile", "dingtalk", "feishu",
        "kakaotalk", "微信", "微信图片", "微信文件", "企业微信", "钉钉", "飞书", "qq图片",
        // Scanners.
        "scan", "scans", "scanner", "scanned", "my scans", "myscans", "scanned documents", "scanned images", "scansnap",
        "epscan", "epson scan", "canoscan", "hp scans", "camscanner", "vuescan", "naps2", "paperport", "扫描", "扫描件",
        "扫描仪", "扫描文件", "扫描图片", "扫描全能王", "掃描", "掃描檔案",
    ]

    /// The letters after the number in the name of a camera's folder (DCF, CIPA DC-009): `100APPLE`.
    ///
    /// Only known names, since `2026A001` may be a business number.
    private static let cameras: Set<String> = [
        "apple", "cloud", "canon", "_pana", "media", "nikon", "olymp", "msdcf", "_fuji", "casio", "kodak", "pentx",
        "ricoh", "sigma", "leica", "sscam", "photo", "andro", "sharp", "lgdsc", "gopro",
    ]

    private static func isCameraFolder(_ name: String) -> Bool {
        name.utf8.count == 8 && name.utf8.prefix(3).allSatisfy { 0x30...0x39 ~= $0 }
            && self.cameras.contains(String(name.dropFirst(3)))
    }

    /// The words that file managers append or prepend to the name of a copy.
    private static let copies = [
        "copy", "kopie", "copie", "copia", "cópia", "копия", "副本", "复件", "复制", "複製", "拷贝", "拷貝", "コピー", "복사본",
    ]
    private static let copiesOf = [
        "copy of ", "kopie von ", "copie de ", "copia de ", "cópia de ", "копия ", "复件 ", "副本 ",
    ]

    /// Returns whether the name of a folder may be a business number.
    ///
    /// It is `false` for the lists above, new folders (`New folder (2)`), copies of a folder, and archives of a watched folder.
    /// Photos in a new folder are refused with a message rather than skipped, since nothing else would report them.
    package static func mayBeNumber(_ folder: String) -> Bool {
        guard self.rule(matching: folder) == nil, folder != "done", folder != "failed" else { return false }
        let name = folder.lowercased()
        let base = String(self.withoutCounter(name) ?? name[...])
        return !self.isCameraFolder(name) && !self.devices.contains(base) && !self.newFolders.contains(base)
            && !self.isCopy(base)
    }

    /// Whether a folder is named like a copy: `Copy of A`, `A - Copy`, `A副本`. An ASCII word needs a separator before it.
    private static func isCopy(_ name: String) -> Bool {
        if self.copiesOf.contains(where: name.hasPrefix) { return true }
        let name = [")", "）"].contains(name.last) ? name.dropLast() : name[...]
        return self.copies.contains { word in
            guard name.hasSuffix(word), let joint = name.dropLast(word.count).last else { return false }
            return !word.utf8.allSatisfy { $0 < 0x80 } || " -–—_(（".contains(joint)
        }
    }

    /// Returns a name without the counter at its end, such as `(2)`, `（2）` or `2`; `nil` if it has none.
    private static func withoutCounter(_ name: String) -> Substring? {
        let isClosed = name.last == ")" || name.last == "）"
        let inner = name.dropLast(isClosed ? 1 : 0)
        let stem = inner.dropLast(inner.reversed().prefix { $0.isASCII && $0.isNumber }.count)
        guard 1...3 ~= inner.count - stem.count, !isClosed || stem.last == "(" || stem.last == "（" else { return nil }
        let base = stem.dropLast(isClosed ? 1 : 0)
        return base.dropLast(base.reversed().prefix(while: \.isWhitespace).count)
    }

    /// Returns the possible original of a copied folder: `LOAN-1` of `LOAN-1 (2)`.
    static func original(of folder: String) -> String? {
        guard let base = self.withoutCounter(folder), !base.isEmpty, let next = folder[base.endIndex...].first,
            next.isWhitespace || next == "(" || next == "（"
        else { return nil }
        return String(base)
    }

    /// Whether a folder is an archive of a watched folder.
    static func isArchive(_ folder: FilePath) -> Bool {
        (try? folder.appending(self.archiveMark).status(followingLinks: false)) != nil
    }
}

/// The real folder of the sandbox: no file in it is an input.
///
/// Its files are not even opened to examine them. SQLite locks with fcntl(2), and a process that closes any descriptor of a file
/// releases all its locks on the file (https://sqlite.org/howtocorrupt.html, 2.2): another process would then consider itself the
/// last one and remove the log that this one still writes to.
struct OwnFolder {
    private let path: FilePath?

    /// Looks the folder up; a missing one contains nothing.
    init(_ written: String?) { self.path = written.flatMap { try? FilePath($0).real() } }

    /// Whether a real path is the folder or inside it.
    func holds(_ real: FilePath) -> Bool { self.path.map { real.starts(with: $0) } ?? false }
}
