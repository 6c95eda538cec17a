import CardModel
import Foundation
import Glibc

/// New files that root names where the sandbox is another user's: made (mode 0600) before root becomes that user, who may have
/// no rights to their folder.
struct RootFiles {
    private let descriptors: [String: Int32]

    /// Makes the files if root is to become another user; else there are none.
    ///
    /// - Throws: `file_not_written`; what loading the configuration throws.
    init(_ paths: [String], in folder: String? = nil, for options: GlobalOptions) throws {
        guard SandboxOwner.isAnother(of: try options.load(readingFiles: false).configuration.sandboxPath) else {
            self.descriptors = [:]
            return
        }
        var descriptors: [String: Int32] = [:]
        do {
            if let folder { try DurableFile.makeFolders(folder, mode: 0o700) }
            for path in paths {
                try DurableFile.create(path, with: [])
                descriptors[path] = open(path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC)
                try DurableFile.synchroniseFolder(DurableFile.folder(of: path))
            }
        } catch {
            for (path, descriptor) in descriptors {
                unlink(path)
                close(descriptor)
            }
            throw error
        }
        self.descriptors = descriptors
    }

    var areThere: Bool { !self.descriptors.isEmpty }

    /// Fills a file and makes it durable; if it cannot be filled, all of them are empty.
    ///
    /// - Parameter next: gives the next bytes, none at the end.
    func fill(_ path: String, _ next: () throws -> Data?) throws(CodedError) {
        guard let descriptor = self.descriptors[path] else { return }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
        do {
            while let bytes = try next(), !bytes.isEmpty { try file.write(contentsOf: bytes) }
            try file.synchronize()
        } catch {
            for descriptor in self.descriptors.values { ftruncate(descriptor, 0) }
            throw CodedError(ReasonCode(rawValue: "file_not_written"), .storage, .copyNotWritten(path))
        }
    }

    /// Removes the files that are empty, or says that they stay: the owner of the sandbox may not be allowed to.
    func removeEmpty() {
        for (path, descriptor) in self.descriptors {
            var status = stat()
            if fstat(descriptor, &status) == 0, status.st_size == 0, unlink(path) != 0 {
                Console.warn(.copyStaysEmpty(path))
            }
            close(descriptor)
        }
    }
}
