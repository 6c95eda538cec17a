/// Something about a valid configuration that a person should know.
package struct ConfigurationNotice: Hashable, Sendable {
    /// How much it matters.
    package enum Level: String, Sendable {
        /// Probably not what is wanted.
        case warning
        /// A consequence worth remembering.
        case note
    }

    /// How much it matters.
    package let level: Level
    /// The key it is about, if it is about one.
    package let key: String?
    /// What it is; never holds the value of a secret.
    package let message: String

    /// Makes a warning.
    static func warning(key: String? = nil, _ message: String) -> ConfigurationNotice {
        ConfigurationNotice(level: .warning, key: key, message: message)
    }

    /// Makes a note.
    static func note(key: String? = nil, _ message: String) -> ConfigurationNotice {
        ConfigurationNotice(level: .note, key: key, message: message)
    }
}
