/// What a backup holds.
package struct BackupReport: Hashable, Sendable {
    /// The size of the file in bytes.
    package var byteCount: Int
    /// How many cards are in it.
    package var cardCount: Int
    /// How many images are in it.
    package var imageCount: Int
    /// How many deliveries are in it.
    package var deliveryCount: Int
    /// Where the access log ends in it.
    package var accessLog: SandboxReport.AccessLog
    /// Whether personal data in it can be read only with the key.
    package var isEncrypted: Bool
    /// How many broken rules it has taken over from the sandbox; `fsck` tells them.
    package var brokenRuleCount: Int
}
