import CardModel
import CardStore
import Foundation
import Glibc

/// New files (mode 0600) that root creates before it becomes the owner of the sandbox, since the owner may have no rights to
/// the folder of the files; their content is written later.
struct RootFiles {
    private let descriptors: [String: Int32]

    /// Creates the files if root will become another user, or if `always` is set; otherwise there are none.
    ///
    /// - Throws: `not_found` without a sandbox; `file_not_written`; what loading the configuration throws.
    init(_ paths: [String], in folder: String? = nil, always: Bool = false, for options: GlobalOptions) throws {
        let sandbox = try options.load().configuration.sandboxPath
        guard always || SandboxOwner.otherOwner(of: sandbox) != nil else {
            self.descriptors = [:]
            return
        }
        // Fail before a file is created: without a sandbox there is nothing to copy.
        if !always { try Sandbox.requireSandbox(at: sandbox) }
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

    /// Whether the files were created.
    var areThere: Bool { !self.descriptors.isEmpty }

    /// Writes all pieces of `next` to a file and syncs it; if that fails, all files are emptied.
    func fill(_ path: String, _ next: () throws -> Data?) throws(CodedError) {
        guard let descriptor = self.descriptors[path] else { return }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: false)
        do {
            while let bytes = try next(), !bytes.isEmpty { try file.write(contentsOf: bytes) }
            try file.synchronize()
        } catch {
            self.empty()
            throw CodedError(ReasonCode(rawValue: "file_not_written"), .storage, .copyNotWritten(path))
        }
    }

    /// Writes the content of a new file, which exists already if root created it.
    func write(_ content: Data, to path: String) throws(CodedError) {
        guard self.areThere else { return try DurableFile.create(path, with: Array(content)) }
        var pieces = [content].makeIterator()
        try self.fill(path) { pieces.next() }
    }

    func empty() { for descriptor in self.descriptors.values { ftruncate(descriptor, 0) } }

    /// Removes the empty files; warns of those that the owner of the sandbox may not remove.
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
