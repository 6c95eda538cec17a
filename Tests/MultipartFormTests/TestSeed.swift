import Foundation

/// The seed of the random tests of one run.
enum TestSeed {
    /// Another one in every run, or that of `MULTIPART_TEST_SEED`, to repeat one. Tests take it as their argument, so
    /// that a failure shows it.
    static let value =
        ProcessInfo.processInfo.environment["MULTIPART_TEST_SEED"].flatMap { UInt64($0) }
        ?? UInt64.random(in: 1...999_999_999)
}
