import IDCardCore

/// Says that an image must not be fetched, or is none: trying again at once is of no use.
struct FetchRefusal: Error, Equatable {
    /// The reason, for programs.
    let code: ReasonCode
    /// What is wrong and what to do; of the URL at most what the configuration names.
    let message: String

    init(_ code: ReasonCode, _ message: String) {
        self.code = code
        self.message = message
    }

    /// Whether it is what came that is no image. All else hangs on the configuration, on the name service or on how the
    /// host is set up, and may be put right there.
    var isOfBytes: Bool { self.code == .fetchNotAnImage || self.code == .fetchEmpty }
}
