import Foundation
package import IDCardCore

/// How a sandbox is opened.
package struct SandboxOptions: Sendable {
    /// The kind of endpoints whose cards a sandbox holds; remembered when it is created, never changed.
    package enum Endpoints: String, CaseIterable, Sendable {
        /// The built-in verifier and backend: nothing in it is real.
        case embedded
        /// A real verification service and a real backend.
        case external
    }

    /// The kind the sandbox must be of; `nil` takes whatever it is, and never creates one.
    package var endpoints: Endpoints?
    /// Whether the sandbox is only looked at: it is not created, not migrated, and has no owner.
    package var isReadOnly: Bool
    /// How personal data is kept, and the keys for it; an existing sandbox must have been made in the same mode.
    package var vault: VaultAccess
    /// How it deals with its disk and with other processes.
    package var storage: SandboxStorage
    /// The time of opening, written beside a new sandbox and a new owner.
    package var now: Timestamp

    /// Chooses how to open a sandbox.
    package init(
        endpoints: Endpoints?,
        isReadOnly: Bool = false,
        vault: VaultAccess,
        storage: SandboxStorage = SandboxStorage(),
        now: Timestamp = Timestamp(Date())
    ) {
        self.endpoints = endpoints
        self.isReadOnly = isReadOnly
        self.vault = vault
        self.storage = storage
        self.now = now
    }
}
