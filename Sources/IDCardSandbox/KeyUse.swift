/// Which key-encryption keys a sandbox needs.
package struct KeyUse: Sendable, Hashable {
    /// The name of the key under which everything new is wrapped.
    package let current: String
    /// How many data keys each key wraps, by its name; a key that wraps none is not there.
    package let dataKeys: [String: Int]

    /// Data keys that another key than the current one wraps.
    package var remaining: Int {
        self.dataKeys.reduce(0) { $0 + ($1.key == self.current ? 0 : $1.value) }
    }

    /// All data keys.
    package var total: Int { self.dataKeys.values.reduce(0, +) }
}
