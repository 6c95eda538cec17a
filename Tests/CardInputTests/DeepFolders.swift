import Foundation
import Glibc

/// Folders within folders, each with a name of 200 bytes, so that 21 of them have a path longer than the system takes.
///
/// They are made and removed step by step, from within: by their whole path neither is possible.
struct DeepFolders {
    private let name = String(repeating: "deep", count: 50)
    private var parents: [Int32] = []

    init(below folder: String, count: Int) throws {
        var current = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        for _ in 0..<count {
            guard current >= 0, mkdirat(current, self.name, 0o755) == 0 else {
                throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
            }
            self.parents.append(current)
            current = openat(current, self.name, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        }
        close(current)
    }

    /// Removes the folders, innermost first.
    func remove() {
        for parent in self.parents.reversed() {
            unlinkat(parent, self.name, AT_REMOVEDIR)
            close(parent)
        }
    }
}
