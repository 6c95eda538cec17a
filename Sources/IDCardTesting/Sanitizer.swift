import Glibc

/// Whether the tests, and the commands they start, were built with a sanitizer.
///
/// A sanitizer keeps shadow memory many times as large as what it watches: what memory a process takes, or may map, says
/// nothing of the product then.
package enum Sanitizer {
    /// Whether the runtime of the thread or the address sanitizer is in this process.
    package static var isPresent: Bool {
        dlsym(nil, "__tsan_init") != nil || dlsym(nil, "__asan_init") != nil
    }

    /// The time limit of a test, in minutes: those of an ordinary build, and five times as many under a sanitizer, which
    /// makes everything so much slower. A limit is there to end what hangs, not to measure.
    package static func minutes(_ ordinary: Int) -> Int {
        isPresent ? 5 * ordinary : ordinary
    }
}
