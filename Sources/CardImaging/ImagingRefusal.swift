import CImaging
package import CardModel

extension ReasonCode {
    package static let imageEmpty = ReasonCode(rawValue: "image_empty")
    package static let imageCorrupt = ReasonCode(rawValue: "image_corrupt")
    package static let imageTruncated = ReasonCode(rawValue: "image_truncated")
    package static let imageTooManyPixels = ReasonCode(rawValue: "image_too_many_pixels")
    package static let imageEdgeTooLong = ReasonCode(rawValue: "image_edge_too_long")
    package static let imageTooManyScans = ReasonCode(rawValue: "image_too_many_scans")
    package static let imageDecodeMemory = ReasonCode(rawValue: "image_decode_memory")
    package static let imageDecodeTime = ReasonCode(rawValue: "image_decode_time")
    package static let imageUnsupportedCoding = ReasonCode(rawValue: "image_unsupported_coding")
    package static let imageOverBudget = ReasonCode(rawValue: "image_over_budget")
    package static let imageOutOfMemory = ReasonCode(rawValue: "image_out_of_memory")
    package static let imageInternalError = ReasonCode(rawValue: "image_internal_error")
    package static let decoderUnavailable = ReasonCode(rawValue: "decoder_unavailable")
}

/// What the message of a refusal says about an image.
struct ImageSubject {
    var format: ImageFormat
    var settings: ImagingSettings
    var limits: ImagingLimits
    /// The size from the header; zero until the header is read.
    var size = PixelSize.zero
    /// The memory for decoding, in bytes; an estimate from the header.
    var decodeBytes = 0

    /// Runs a C function that writes a message into a buffer on failure; returns its status and message.
    static func run(_ body: (UnsafeMutablePointer<CChar>?, Int) -> idci_status) -> (idci_status, String) {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            buffer.initialize(repeating: 0)
            let status = body(buffer.baseAddress, buffer.count)
            let text = buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
            return (status, String(decoding: text, as: UTF8.self))
        }
    }

    /// Runs a C function like ``run(_:)``, and throws the refusal for its status.
    func check(_ body: (UnsafeMutablePointer<CChar>?, Int) -> idci_status) throws(CodedError) {
        let (status, detail) = Self.run(body)
        if status != IDCI_OK { throw self.refusal(status, detail) }
    }

    /// Returns the refusal for a status; `detail` is the message of the library.
    func refusal(_ status: idci_status, _ detail: String) -> CodedError {
        if status == IDCI_OUT_OF_MEMORY { return Self.outOfMemory }
        let (code, message) = self.fault(status, detail)
        return CodedError(code, status == IDCI_TOO_SLOW ? .temporary : .input, message)
    }

    private func fault(_ status: idci_status, _ detail: String) -> (ReasonCode, Message) {
        let limit = self.limits.maxDecodeBytes
        return switch status {
        case IDCI_CORRUPT: (.imageCorrupt, .imageCorrupt(detail))
        case IDCI_TRUNCATED: (.imageTruncated, .imageTruncated)
        case IDCI_NO_HEIGHT: (.imageUnsupportedCoding, .imageNoHeight)
        case IDCI_UNSUPPORTED where self.format == .png: (.imageUnsupportedCoding, .imageApplePNG)
        case IDCI_UNSUPPORTED: (.imageUnsupportedCoding, .imageUnsupported(self.format.displayName, detail))
        case IDCI_TOO_MANY_PIXELS:
            (.imageTooManyPixels, .imageTooManyPixels(self.size, limit: self.settings.maxPixels))
        case IDCI_EDGE_TOO_LONG: (.imageEdgeTooLong, .imageEdgeTooLong(self.limits.maxSourceEdge))
        case IDCI_TOO_MUCH_MEMORY where self.decodeBytes <= limit / 2:
            // It is the result that needs most of the memory, not the source.
            (.imageDecodeMemory, .imageResultMemory(self.size, limit: limit, maxEdge: self.settings.maxEdge))
        case IDCI_TOO_MUCH_MEMORY: (.imageDecodeMemory, .imageMemory(self.size, limit: limit))
        case IDCI_TOO_MANY_SCANS: (.imageTooManyScans, .imageTooManyScans(self.limits.maxScans))
        case IDCI_TOO_SLOW: (.imageDecodeTime, .imageTooSlow(limit: self.limits.maxDecodeTime))
        default: (.imageInternalError, .imageInternalError(detail))
        }
    }

    static let outOfMemory = CodedError(.imageOutOfMemory, .temporary, .imageOutOfMemory)
}
