import CardImaging
import CardModel
import Foundation
import Glibc

/// Decodes photos in this process or in confined children (`imaging.isolation`); a photo that has crashed two processes is
/// decoded in a child in any case.
///
/// While a photo is decoded in this process, a file in the sandbox has one byte for each unfinished decoding of it. The
/// file is not synced: it must survive the process, not the machine.
struct PhotoDecoder: Sendable {
    /// A note is named after the digest of this number of bytes at the photo's start and end, cut to this number of digits. So
    /// short a name does not prove that the photo was here, and two photos with one name cost no more than a child process.
    private static let (digestedBytes, nameDigits) = (4_096, 8)
    /// How many processes may crash on a photo: one may be chance.
    private static let crashLimit = 2

    private let recompressor: ImageRecompressor
    private let isolation: Configuration.Isolation
    /// Whether photos from the network are decoded in a child.
    private let isolatesForeign: Bool
    private let notes: String

    /// Tests whether a child can be confined, and creates the folder of the notes in the sandbox, if it is missing.
    ///
    /// - Parameter isService: whether to refuse a system on which no photo can be decoded.
    /// - Throws: `decoder_unavailable`.
    init(_ configuration: Configuration, requiring isService: Bool) throws(CodedError) {
        if isService { try configuration.requireIsolation() }
        let doubt = configuration.isolationDoubt
        if let doubt { Console.warn(doubt) }
        self.isolatesForeign = configuration.isolation == .auto && doubt == nil
        self.recompressor = ImageRecompressor(settings: configuration.imaging)
        self.isolation = configuration.isolation
        self.notes = configuration.sandboxPath + "/decoding"
        // Without the folder, photos are decoded without notes.
        _ = mkdir(self.notes, 0o700)
    }

    /// Makes the JPEG of a card from source bytes.
    ///
    /// - Throws: as `ImageRecompressor.prepare` and `prepareIsolated`.
    func prepare(_ source: Data, isForeign: Bool = false) throws(CodedError) -> PreparedImage {
        guard self.isolation != .process, !(isForeign && self.isolatesForeign) else {
            return try self.recompressor.prepareIsolated(source)
        }
        let digest = ContentDigest(of: source.prefix(Self.digestedBytes) + source.suffix(Self.digestedBytes))
        let file = "\(self.notes)/\(digest.hexadecimal.prefix(Self.nameDigits))"
        // The note stays: that a child survives does not prove the photo safe in this process.
        guard Self.crashes(in: file) < Self.crashLimit else { return try self.recompressor.prepareIsolated(source) }
        Self.add(to: file)
        defer { unlink(file) }
        return try self.recompressor.prepare(source)
    }

    /// Makes a prepared image smaller; `nil` if it cannot get smaller.
    func shrink(_ image: PreparedImage) throws(CodedError) -> PreparedImage? {
        try self.recompressor.shrink(image, isolated: self.isolation == .process)
    }

    private static func crashes(in note: String) -> Int {
        var status = stat()
        return lstat(note, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Adds a byte to a note; ignores errors, as on a full disk, so that the photo is decoded all the same.
    private static func add(to note: String) {
        let descriptor = open(note, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { return }
        _ = write(descriptor, "x", 1)
        close(descriptor)
    }
}

extension Configuration {
    /// A warning if photos from the network should be decoded in children, and the system cannot confine them.
    var isolationDoubt: Message? {
        self.isolation == .auto && !ImageRecompressor(settings: self.imaging).canIsolate ? .imagingNotIsolated : nil
    }

    /// Refuses a system on which no photo can be decoded.
    func requireIsolation() throws(CodedError) {
        guard self.isolation == .process, !ImageRecompressor(settings: self.imaging).canIsolate else { return }
        throw CodedError(.decoderUnavailable, .configuration, .imagingNoIsolation)
    }
}
