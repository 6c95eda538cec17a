// The compiler takes `stat` to be declared by Dispatch or by Glibc, whichever it has met first.
import CDispatch
import Foundation
import Glibc
import Testing

/// What tests do to the file of a photo.
enum PhotoFile {
    /// Changes a byte in place and puts the modification time back: whoever reads the file sees another card, whoever only looks sees the same.
    static func changeContentKeepingLooks(of url: URL) throws {
        var status = stat()
        try #require(stat(url.path, &status) == 0)
        let handle = try FileHandle(forWritingTo: url)
        try handle.seek(toOffset: 1000)
        try handle.write(contentsOf: Data([0x55]))
        try handle.close()
        let times = [status.st_atim, status.st_mtim]
        try #require(utimensat(AT_FDCWD, url.path, times, 0) == 0)
    }
}
