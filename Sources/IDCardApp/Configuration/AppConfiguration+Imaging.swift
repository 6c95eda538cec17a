extension AppConfiguration {
    /// Keys under `imaging`.
    package struct Imaging: Hashable, Sendable {
        /// When images are encoded anew.
        package enum Recompression: String, CaseIterable, Sendable {
            /// Every image.
            case always
            /// Only those that miss a limit, are not upright or carry metadata.
            case whenNeeded = "when_needed"
        }

        /// Where images are decoded.
        package enum Isolation: String, CaseIterable, Sendable {
            /// In this process.
            case none
            /// Each in a child.
            case process
        }

        /// JPEG quality, 0…1 (`imaging.quality`).
        package let quality: Double
        /// Lowest quality tried, 0…1 (`imaging.min_quality`).
        package let minimumQuality: Double
        /// Longest edge of the prepared image, in pixels (`imaging.max_edge`).
        package let maximumEdge: Int
        /// Most bytes of the prepared image (`imaging.byte_budget`).
        package let byteBudget: Int
        /// When images are encoded anew (`imaging.recompress`).
        package let recompress: Recompression
        /// Images prepared at the same time (`imaging.concurrency`).
        package let concurrency: Int
        /// Most bytes of a source image (`imaging.max_source_bytes`).
        package let maximumSourceBytes: Int
        /// Most pixels of a source image (`imaging.max_pixels`).
        package let maximumPixels: Int
        /// Longest edge of a source image, in pixels (`imaging.max_source_edge`).
        package let maximumSourceEdge: Int
        /// Most scans of a JPEG (`imaging.max_scans`).
        package let maximumScans: Int
        /// Most memory for decoding one image, in bytes (`imaging.max_decode_bytes`).
        package let maximumDecodeBytes: Int
        /// Where images are decoded (`imaging.isolation`).
        package let isolation: Isolation
        /// Crashes before an image is decoded in a child (`imaging.max_crashes`).
        package let maximumCrashes: Int
        /// Failed preparations of a received image before its card has failed (`imaging.max_attempts`).
        package let maximumAttempts: Int
        /// Longest time for decoding one image (`imaging.max_decode_time`).
        package let maximumDecodeTime: Duration

        init(_ values: ResolvedConfiguration) {
            self.quality = values.require("imaging.quality", \.number)
            self.minimumQuality = values.require("imaging.min_quality", \.number)
            self.maximumEdge = values.require("imaging.max_edge", \.integer)
            self.byteBudget = values.require("imaging.byte_budget", \.integer)
            self.recompress = values.word("imaging.recompress")
            self.concurrency = values.require("imaging.concurrency", \.integer)
            self.maximumSourceBytes = values.require("imaging.max_source_bytes", \.integer)
            self.maximumPixels = values.require("imaging.max_pixels", \.integer)
            self.maximumSourceEdge = values.require("imaging.max_source_edge", \.integer)
            self.maximumScans = values.require("imaging.max_scans", \.integer)
            self.maximumDecodeBytes = values.require("imaging.max_decode_bytes", \.integer)
            self.isolation = values.word("imaging.isolation")
            self.maximumCrashes = values.require("imaging.max_crashes", \.integer)
            self.maximumAttempts = values.require("imaging.max_attempts", \.integer)
            self.maximumDecodeTime = values.require("imaging.max_decode_time", \.duration)
        }
    }
}
