extension SandboxSchema {
    /// The changes from version 3 to version 4.
    static let version4: [String] =
        erasedFronts + keyAnnouncement + watch + version4Clock + version4Erasure + calls + waits
        + awaitedInputs
}
