extension VerificationClient {
    /// How a request says whose it is (`verification.auth`).
    package enum Authentication: Hashable, Sendable {
        /// The parts `api_key` and `api_secret`, as every dialect documents them.
        case keyAndSecret
        /// The parts `sign` and `sign_version`: a signature made anew for every attempt, that may be used for so long.
        /// Whole seconds, one at least; the clocks of both sides should differ by less.
        case sign(validFor: Duration)
        /// The same with a signature that the service takes once.
        case singleUseSign
    }
}
