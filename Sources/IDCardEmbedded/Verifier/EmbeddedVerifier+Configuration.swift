extension EmbeddedVerifier {
    /// How the built-in verification endpoint listens, whom it knows and what a reading may cost.
    package struct Configuration: Sendable {
        /// The address to listen on.
        package var host = "127.0.0.1"
        /// The port to listen on; 0 takes a free one, of which `onRunning` is told.
        package var port = 0
        /// The accounts: `api_key` to `api_secret`.
        package var secrets: [String: String]
        /// How tesseract is run.
        package var tesseract = Tesseract.Configuration()
        /// Requests answered at once; one more gets `CONCURRENCY_LIMIT_EXCEEDED`.
        package var concurrency = Self.defaultConcurrency
        /// The same unless something else is set.
        package static let defaultConcurrency = 8
        /// Bytes of a request's body at most; a longer one gets a 413 that is not JSON, as the vendor's front server
        /// gives it.
        package var bodyBytes = 2_097_152
        /// Bytes of the image at most; a larger one gets `IMAGE_FILE_TOO_LARGE`.
        package var imageBytes = 2_000_000
        /// The same as ``bodyBytes`` for FaceID v3, which takes more.
        package var largeBodyBytes = 10_485_760
        /// The same as ``imageBytes`` for FaceID v3, which takes less than 10 MB.
        package var largeImageBytes = 9_999_999
        /// The bytes of a request's header lines at most, in all and each.
        package var headerBytes = 16_384
        /// How long a body may take to arrive.
        package var bodyTimeout: Duration = .seconds(60)
        /// How long a connection may be idle.
        package var idleTimeout: Duration = .seconds(60)

        /// Describes a verifier on a free port of the loopback interface.
        ///
        /// - Parameter secrets: The accounts it knows: `api_key` to `api_secret`.
        package init(secrets: [String: String]) {
            self.secrets = secrets
        }
    }
}
