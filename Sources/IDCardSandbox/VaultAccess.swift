/// How a sandbox keeps what is personal, with the keys for it.
package enum VaultAccess: Sendable {
    /// In the clear; the protection is the mode of the file.
    case unencrypted
    /// Under the keys of a ring; `reload` reads the ring anew when it lacks a key that another process has introduced.
    case encrypted(KeyRing, reload: (@Sendable () async throws -> KeyRing)? = nil)

    /// How values are kept.
    package var mode: Vault.Mode {
        switch self {
        case .unencrypted: .none
        case .encrypted: .encrypted
        }
    }

    /// The keys, if there are any.
    var ring: KeyRing? {
        switch self {
        case .unencrypted: nil
        case .encrypted(let ring, _): ring
        }
    }
}
