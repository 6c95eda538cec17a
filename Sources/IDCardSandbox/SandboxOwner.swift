import Foundation
import Glibc
import IDCardCore
import IDCardPipeline

/// The owner of an open sandbox: an identifier, and a file on which its lock tells others that it lives.
final class SandboxOwner: Sendable {
    /// The identifier that stands beside a lease.
    let id: String
    /// What is under preparation here.
    let breadcrumbs: Breadcrumbs
    private let path: String
    let lock: FileLock

    private init(id: String, path: String, lock: FileLock) {
        self.id = id
        self.path = path
        self.lock = lock
        self.breadcrumbs = Breadcrumbs(in: lock)
    }

    /// Names this process for messages: its command, its id and its machine, which say little between containers.
    static var process: String {
        let word = CommandLine.arguments.dropFirst().first { !$0.hasPrefix("-") } ?? ""
        // An argument that is no command may be anything, a person's name in a path, too.
        let isCommand = !word.isEmpty && word.count <= 16 && word.allSatisfy { $0.isASCII && $0.isLowercase }
        let host = ProcessInfo.processInfo.hostName
        return "\(isCommand ? "`\(word)`" : "a program") (process \(getpid()) on \(host))"
    }

    /// Makes a new owner; its row may be written only afterwards, so that no row ever stands without a lock.
    static func register(in directory: SandboxDirectory) throws -> SandboxOwner {
        // Boxed: a type without storage has no address, which the thread sanitizer would follow all the same.
        var random: any RandomNumberGenerator = SystemRandomNumberGenerator()
        let id = UUIDText.version4(using: &random)
        let path = directory.ownerFile(of: id)
        guard let lock = try FileLock.take(path: path, creating: true) else {
            throw StoreError(.unavailable, "the new owner file \(path) is locked already; please report this")
        }
        return SandboxOwner(id: id, path: path, lock: lock)
    }

    /// Gives the lock back; from now on the owner counts as dead.
    func end(removingFile: Bool) {
        if removingFile { FileCall.unlink(self.path) }
        // Fallback of notes that cannot be blanked: they count as a crash that was none, and once decoded are forgotten.
        try? self.breadcrumbs.clear()
        self.lock.release()
    }
}
