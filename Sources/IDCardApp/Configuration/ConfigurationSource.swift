/// Where the effective value of a key comes from, strongest first.
package enum ConfigurationSource: String, CaseIterable, Sendable {
    /// An option of the command line.
    case commandLine = "command line"
    /// An `IDCARD_…` variable.
    case environment
    /// The YAML file.
    case file
    /// The table of keys.
    case builtIn = "default"
}
