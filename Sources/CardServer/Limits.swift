/// What nobody has a reason to set.
enum Limits {
    /// The longest `Idempotency-Key` that is taken: as long as the ones that other services take.
    static let idempotencyKeyLength = 255
}
