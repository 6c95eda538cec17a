import CardModel

// Each message is on one line.
// swift-format-ignore
extension Message {
    static let imageEmpty = Self("image.empty", "the file is empty; supply the photo again")
    static func imageTooLarge(_ count: Int, _ maxSourceBytes: Int) -> Self { Self("image.too_large", "the image has \(bytes: count), more than \(bytes: maxSourceBytes); supply a smaller file") }
    static func imageOverBudget(_ edge: Int, quality: Int, _ byteBudget: Int) -> Self { Self("image.over_budget", "the image cannot be made small enough: with an edge of \(count: edge) pixels and quality \(quality) of 100 it still has more than \(bytes: byteBudget); raise imaging.byte_budget") }
    static func imageCorrupt(_ detail: String) -> Self { Self("image.corrupt", "the image is damaged (\(code: detail)); supply the original file again") }
    static let imageTruncated = Self("image.truncated", "the image is incomplete; supply the whole file again")
    static let imageNoHeight = Self("image.no_height", "the JPEG gives its height only after the image data (a DNL segment, as some scanners write); open the photo in an image program, save it as JPEG and supply the new file")
    static let imageApplePNG = Self("image.apple_png", "the image is in Apple's variant of PNG (CgBI), which only Apple's programs read; export the photo as JPEG and supply that")
    static func imageUnsupported(_ displayName: String, _ detail: String) -> Self { Self("image.unsupported", "this kind of \(code: displayName) is not supported (\(code: detail)); save it as a baseline JPEG and supply that") }
    static func imageTooManyPixels(_ size: PixelSize, limit: Int) -> Self { Self("image.too_many_pixels", "the image has \(size.width)x\(size.height) pixels, more than \(count: limit); supply a smaller one") }
    static func imageEdgeTooLong(_ maxSourceEdge: Int) -> Self { Self("image.edge_too_long", "an edge of the image is longer than \(count: maxSourceEdge) pixels; supply a smaller one") }
    static func imageResultMemory(_ size: PixelSize, limit: Int, maxEdge: Int) -> Self { Self("image.result_memory", "keeping the image at \(size.width)x\(size.height) pixels needs more than \(bytes: limit) of memory; lower imaging.max_edge (\(maxEdge))") }
    static func imageMemory(_ size: PixelSize, limit: Int) -> Self { Self("image.memory", "decoding the image of \(size.width)x\(size.height) pixels needs more than \(bytes: limit) of memory; save it neither progressive nor interlaced, or, if it is neither, smaller; then supply the new file") }
    static func imageTooManyScans(_ maxScans: Int) -> Self { Self("image.too_many_scans", "the JPEG has more than \(count: maxScans) scans; save it as a baseline JPEG and supply that") }
    static func imageTooSlow(limit: Duration) -> Self { Self("image.too_slow", "decoding the image took longer than \(limit); if the machine is busy, try again later; otherwise save the image smaller, as a baseline JPEG") }
    static func imageInternalError(_ detail: String) -> Self { Self("image.internal_error", "cannot process the image (\(code: detail)); report this as a bug of idcard-pipeline") }
    static let imageOutOfMemory = Self("image.out_of_memory", "there is not enough memory to process an image; lower imaging.concurrency, or try again later")
    static let imageDecoderCrashed = Self("image.decoder_crashed", "decoding the image crashed the decoder; supply another photo of the card")
    static let imageDecoderStopped = Self("image.decoder_stopped", "the decoding process took too long or was stopped from outside; check the memory and the load of this machine")
    static let imageNoDecoder = Self("image.no_decoder", "cannot start the decoding process; check memory and process limits, then run again")
}
