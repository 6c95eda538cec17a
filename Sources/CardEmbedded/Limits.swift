/// What nobody has a reason to set.
enum Limits {
    /// Larger requests are answered with 413: a prepared image of 20 MiB and its fields fit.
    static let requestBytes = 32 << 20
}
