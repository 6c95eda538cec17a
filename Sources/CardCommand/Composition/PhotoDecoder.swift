import CardImaging
import CardModel
import Foundation
import Glibc

/// Decodes photos in this process or in confined children (`imaging.isolation`), and in a child whatever the setting once a
/// photo has brought two processes down.
///
/// While a photo is decoded here, a file in the sandbox has one byte for each decoding of it that began and did not end. It is
/// not synced: it must outlive the process, not the machine.
struct PhotoDecoder: Sendable {
    /// What a note is named after: so many bytes of the photo's start and end, which tell it from others. Its name tells too
    /// little to prove that the photo was here, and two photos of one name cost no more than a child process.
    private static let (bytesLookedAt, digitsOfName) = (4_096, 8)
    /// How many processes may die of a photo: once may be chance.
    private static let mostCrashes = 2

    private let recompressor: ImageRecompressor
    private let isolation: Configuration.Isolation
    /// Whether what came over the network is decoded in a child.
    private let isolatesForeign: Bool
    private let notes: String

    /// Tries a child, and makes the folder of the notes in the sandbox, if it is missing.
    ///
    /// - Parameter isService: whether it is refused that no photo could be decoded.
    /// - Throws: `decoder_unavailable`.
    init(_ configuration: Configuration, requiring isService: Bool) throws(CodedError) {
        if isService { try configuration.requireIsolation() }
        let doubt = configuration.isolationDoubt
        if let doubt { Console.warn(doubt) }
        self.isolatesForeign = configuration.isolation == .auto && doubt == nil
        self.recompressor = ImageRecompressor(settings: configuration.imaging)
        self.isolation = configuration.isolation
        self.notes = configuration.sandboxPath + "/decoding"
        // Where it cannot be made, photos are decoded without notes.
        _ = mkdir(self.notes, 0o700)
    }

    /// Makes the JPEG of a card out of source bytes.
    ///
    /// - Throws: as `ImageRecompressor.prepare` and `prepareIsolated`.
    func prepare(_ source: Data, isForeign: Bool = false) throws(CodedError) -> PreparedImage {
        guard self.isolation != .process, !(isForeign && self.isolatesForeign) else {
            return try self.recompressor.prepareIsolated(source)
        }
        let digest = ContentDigest(of: source.prefix(Self.bytesLookedAt) + source.suffix(Self.bytesLookedAt))
        let note = "\(self.notes)/\(digest.hexadecimal.prefix(Self.digitsOfName))"
        // A child that lives is no reason to decode here again, so the note stays.
        guard Self.crashes(in: note) < Self.mostCrashes else { return try self.recompressor.prepareIsolated(source) }
        Self.add(to: note)
        defer { unlink(note) }
        return try self.recompressor.prepare(source)
    }

    /// Makes a prepared image smaller; `nil` if it is as small as it may get.
    func shrink(_ image: PreparedImage) throws(CodedError) -> PreparedImage? {
        try self.recompressor.shrink(image, isolated: self.isolation == .process)
    }

    private static func crashes(in note: String) -> Int {
        var status = stat()
        return lstat(note, &status) == 0 ? Int(status.st_size) : 0
    }

    /// A note that cannot be written, on a full disk, does not keep the photo from being decoded.
    private static func add(to note: String) {
        let descriptor = open(note, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return }
        _ = write(descriptor, "x", 1)
        close(descriptor)
    }
}

extension Configuration {
    /// What to say where photos from the network are to be decoded in children, and the system lets none confine itself.
    var isolationDoubt: Message? {
        self.isolation == .auto && !ImageRecompressor(settings: self.imaging).canIsolate ? .imagingNotIsolated : nil
    }

    /// Refuses a system on which no photo could be decoded.
    func requireIsolation() throws(CodedError) {
        guard self.isolation == .process, !ImageRecompressor(settings: self.imaging).canIsolate else { return }
        throw CodedError(.decoderUnavailable, .configuration, .imagingNoIsolation)
    }
}
