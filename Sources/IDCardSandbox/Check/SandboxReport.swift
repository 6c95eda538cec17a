package import Foundation

/// What a check of the sandbox looked at and found.
package struct SandboxReport: Sendable {
    /// The state of the access log.
    package struct AccessLog: Hashable, Sendable {
        /// How many lines there are.
        package var lineCount: Int
        /// The HMAC of the last line; `nil` if there is none. Kept elsewhere, it shows later that nothing was cut off.
        package var head: Data?
    }

    /// Whether images and values were left unopened.
    package var isQuick: Bool
    /// How many cards there are.
    package var cardCount = 0
    /// How many images there are.
    package var imageCount = 0
    /// How many deliveries there are.
    package var deliveryCount = 0
    /// The state of the access log.
    package var accessLog = AccessLog(lineCount: 0, head: nil)
    /// What was found, in the order of the checks.
    package var findings: [SandboxFinding] = []

    /// Whether no rule is broken; notices do not count.
    package var isClean: Bool { self.findings.allSatisfy { $0.severity == .notice } }
}
