import CardModel

// Each message stands on one line.
// swift-format-ignore
extension Message {
    static let engineDiskFull = Self("engine.disk_full", "the disk of the sandbox is nearly full, or a quota on it is, so no more photos are imported (sandbox.intake_free_space); free some space")
    static let engineTooManyFetches = Self("engine.too_many_fetches", "too many images of this sender are waiting to be fetched; send the card again later")
    static let engineTooManyUploads = Self("engine.too_many_uploads", "too many images are waiting to be prepared; send the photo again later")
    static let engineQueueFull = Self("engine.queue_full", "the queue is full: too many cards are in progress; send the card again later")
    static let engineEndpointPaused = Self("engine.endpoint_paused", "the endpoint was paused before the call")
    static let engineFormChanged = Self("engine.form_changed", "the TOKEN or the fields of the form changed, so the card goes in a new delivery")
    static func engineClockDoubtful(_ message: Message, now: Timestamp) -> Self { Self("engine.clock_doubtful", "\(message); the clock of this machine says \(now), which may be wrong; correct the clock, and the card is judged again automatically") }
    static func engineImageRefused(_ image: PreparedImage) -> Self { Self("engine.image_refused", "the verifier refuses the size of the image (\(image.width)x\(image.height) pixels, \(bytes: image.jpeg.count)), and the image cannot be made smaller; take a photo in which the card fills the frame") }
}
