import IDCardCore

/// Says that an image must not be fetched, or is none: trying again is of no use.
struct FetchRefusal: Error, Equatable {
    /// The reason, for programs.
    let code: ReasonCode
    /// What is wrong and what to do; of the URL at most what the configuration names.
    let message: String

    init(_ code: ReasonCode, _ message: String) {
        self.code = code
        self.message = message
    }
}
