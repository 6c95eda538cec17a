import Foundation
import Glibc
import IDCardCore

/// What is written beside a refused file, to say why it was refused.
///
/// Named after the whole file name, `a.jpg.failed.json` for `a.jpg`: its sidecar keeps the name `a.jpg.json`, so that
/// both can be put back once the reason is mended. It holds no personal data.
struct FailureNote: Hashable, Sendable, Codable {
    /// What is put after the refused file's name.
    static let suffix = ".failed.json"
    /// How many bytes are put to that name.
    static let addedBytes = Self.suffix.utf8.count

    /// The stable reason.
    var code: ReasonCode
    /// The reason for a person.
    var message: String
    /// The card, if there is one.
    var cardID: CardID?
    /// When the file was refused.
    var time: String

    enum CodingKeys: String, CodingKey {
        case code, message, time
        case cardID = "card_id"
    }

    /// Writes the note into a folder, in the place of an older one; durable with the folder's next `sync()`.
    ///
    /// - Parameter shape: that of the refused file.
    func write(
        as name: String,
        of shape: FileShape,
        in folder: borrowing FolderDescriptor
    ) throws(SystemFailure) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        guard let json = try? encoder.encode(self) else { throw SystemFailure(code: EINVAL) }
        let temporary = PassingName.part(shape)
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let descriptor = openat(folder.number, temporary, flags, 0o644)
        guard descriptor >= 0 else { throw SystemFailure.current }
        defer { close(descriptor) }
        do throws(SystemFailure) {
            try Self.write(json + Data("\n".utf8), to: descriptor)
            guard fsync(descriptor) == 0, renameat(folder.number, temporary, folder.number, name) == 0 else {
                throw SystemFailure.current
            }
        } catch {
            unlinkat(folder.number, temporary, 0)
            throw error
        }
    }

    private static func write(_ data: Data, to descriptor: Int32) throws(SystemFailure) {
        var rest = [UInt8](data)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                throw SystemFailure.current
            }
            rest = rest.dropFirst(count)
        }
    }
}
