import CImaging
package import CardModel

extension ReasonCode {
    package static let imageEmpty = ReasonCode(rawValue: "image_empty")
    /// The data contradicts itself.
    package static let imageCorrupt = ReasonCode(rawValue: "image_corrupt")
    /// The data ends before the picture does.
    package static let imageTruncated = ReasonCode(rawValue: "image_truncated")
    /// More pixels than `imaging.max_pixels`.
    package static let imageTooManyPixels = ReasonCode(rawValue: "image_too_many_pixels")
    /// An edge longer than libjpeg can handle.
    package static let imageEdgeTooLong = ReasonCode(rawValue: "image_edge_too_long")
    /// More scans than any camera or program writes.
    package static let imageTooManyScans = ReasonCode(rawValue: "image_too_many_scans")
    /// Decoding would take more memory than one image may have.
    package static let imageDecodeMemory = ReasonCode(rawValue: "image_decode_memory")
    /// Decoding took longer than one image may take.
    package static let imageDecodeTime = ReasonCode(rawValue: "image_decode_time")
    /// A JPEG or PNG of a kind that the libraries cannot decode.
    package static let imageUnsupportedCoding = ReasonCode(rawValue: "image_unsupported_coding")
    /// Not even the smallest version fits `imaging.byte_budget`.
    package static let imageOverBudget = ReasonCode(rawValue: "image_over_budget")
    package static let imageOutOfMemory = ReasonCode(rawValue: "image_out_of_memory")
    package static let imageInternalError = ReasonCode(rawValue: "image_internal_error")
    /// The child that decodes could not be started, or was stopped from outside.
    package static let decoderUnavailable = ReasonCode(rawValue: "decoder_unavailable")
}

/// What is being read, for the words of a refusal.
struct ImageSubject {
    var format: ImageFormat
    var settings: ImagingSettings
    var limits: ImagingLimits
    /// The size that the header claims, once it is read.
    var size = PixelSize(width: 0, height: 0)
    /// What decoding it will hold, in bytes; an estimate from the header.
    var decodeBytes = 0

    /// Runs a C function that leaves a text in a buffer when it fails; returns its status and text.
    static func run(_ body: (UnsafeMutablePointer<CChar>?, Int) -> idci_status) -> (idci_status, String) {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            buffer.initialize(repeating: 0)
            let status = body(buffer.baseAddress, buffer.count)
            let text = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            return (status, String(decoding: text, as: UTF8.self))
        }
    }

    /// Runs such a function and throws the refusal that its status stands for.
    func check(_ body: (UnsafeMutablePointer<CChar>?, Int) -> idci_status) throws(CodedError) {
        let (status, detail) = Self.run(body)
        if status != IDCI_OK { throw self.refusal(status, detail) }
    }

    /// The refusal that a status stands for; `detail` is the library's own text.
    func refusal(_ status: idci_status, _ detail: String) -> CodedError {
        if status == IDCI_OUT_OF_MEMORY { return Self.outOfMemory }
        let (code, what) = self.fault(status, detail)
        let message: Message = "the \(self.format.displayName) image \(what)"
        return CodedError(code, status == IDCI_TOO_SLOW ? .temporary : .input, message)
    }

    /// The code of a status, and what is said of the image.
    private func fault(_ status: idci_status, _ detail: String) -> (ReasonCode, Message) {
        let size: Message = "\(self.size.width)x\(self.size.height) pixels"
        return switch status {
        case IDCI_CORRUPT: (.imageCorrupt, "is damaged (\(detail)); supply the original file again")
        case IDCI_TRUNCATED: (.imageTruncated, "is incomplete (\(detail)); supply the whole file again")
        case IDCI_NO_HEIGHT: (.imageUnsupportedCoding, Self.noHeight)
        case IDCI_UNSUPPORTED where self.format == .png: (.imageUnsupportedCoding, Self.applePNG)
        case IDCI_UNSUPPORTED:
            (
                .imageUnsupportedCoding,
                "is of a kind that cannot be read (\(detail)); save it as a baseline JPEG and supply that"
            )
        case IDCI_TOO_MANY_PIXELS:
            (.imageTooManyPixels, "claims \(size), more than \(self.settings.maxPixels) in all; supply a smaller one")
        case IDCI_EDGE_TOO_LONG:
            (
                .imageEdgeTooLong,
                "claims an edge of more than \(self.limits.maxSourceEdge) pixels; supply a smaller one"
            )
        case IDCI_TOO_MUCH_MEMORY where self.decodeBytes <= self.limits.maxDecodeBytes / 2:
            // The result takes the memory, not the source.
            (
                .imageDecodeMemory,
                """
                of \(size) needs more than \(self.limits.maxDecodeBytes) bytes of memory to stay this large; lower \
                imaging.max_edge (\(self.settings.maxEdge))
                """
            )
        case IDCI_TOO_MUCH_MEMORY:
            (
                .imageDecodeMemory,
                """
                of \(size) needs more than \(self.limits.maxDecodeBytes) bytes of memory; save it smaller and not \
                progressive or interlaced, and supply that
                """
            )
        case IDCI_TOO_MANY_SCANS:
            (
                .imageTooManyScans,
                "has more than \(self.limits.maxScans) scans; save it as a baseline JPEG and supply that"
            )
        case IDCI_TOO_SLOW:
            (
                .imageDecodeTime,
                """
                took longer than \(self.limits.maxDecodeTime.components.seconds) seconds to decode; save it smaller, as a \
                baseline JPEG, or try again when the machine has less to do
                """
            )
        default:
            (.imageInternalError, "cannot be processed (\(detail)); report this as a defect of this program")
        }
    }

    private static let noHeight: Message = """
        has height 0 in its header and tells its height only after the picture (a DNL segment, as some scanners \
        write); open it in an image program, save it once as JPEG, and supply that
        """

    private static let applePNG: Message = """
        is in Apple's own variant of PNG (CgBI), which iPhone apps hold and only Apple's programs read; export the \
        photo as JPEG and supply that
        """

    /// The refusal when there is no memory.
    static let outOfMemory = CodedError(
        .imageOutOfMemory,
        .temporary,
        "there is no memory to process an image; lower imaging.concurrency, or try again later"
    )
}
