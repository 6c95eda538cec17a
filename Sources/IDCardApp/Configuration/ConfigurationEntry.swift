/// A key with its effective value.
package struct ConfigurationEntry: Hashable, Sendable {
    /// The key.
    package let key: ConfigurationKey
    /// Its value; `nil` if it is unset.
    package let value: ConfigurationValue?
    /// Where the value comes from.
    package let source: ConfigurationSource

    /// The value as it may be shown: a secret is `<set>` or `<unset>`, and so is anything without a value.
    package var shown: String {
        guard let value = self.value else { return "<unset>" }
        return self.key.isSecret ? "<set>" : value.description
    }
}
