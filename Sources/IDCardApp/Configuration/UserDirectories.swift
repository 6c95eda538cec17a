/// The folders of the person who runs us, from the environment (XDG Base Directory Specification 0.8).
package struct UserDirectories: Hashable, Sendable {
    /// The home directory, `HOME`.
    package let home: String?
    /// Where configuration files lie: `$XDG_CONFIG_HOME`, else `~/.config`.
    package let configuration: String?
    /// Where data lies: `$XDG_DATA_HOME`, else `~/.local/share`.
    package let data: String?

    /// Reads the variables; relative paths in them are ignored, as the specification asks.
    package init(environment: [String: String]) {
        let absolute = { (name: String) in environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil } }
        let home = absolute("HOME")
        self.home = home
        self.configuration = absolute("XDG_CONFIG_HOME") ?? home.map { "\($0)/.config" }
        self.data = absolute("XDG_DATA_HOME") ?? home.map { "\($0)/.local/share" }
    }

    /// The configuration file that is read if nobody names one.
    package var configurationFile: String? {
        self.configuration.map { "\($0)/idcard-pipeline/idcard-pipeline.yaml" }
    }

    /// The sandbox if nobody names one; that of the embedded endpoints is another.
    package func sandbox(embedded: Bool) -> String? {
        self.data.map { "\($0)/idcard-pipeline/\(embedded ? "embedded" : "sandbox")" }
    }

    /// The file of the server's tokens if nobody names one.
    package var tokensFile: String? {
        self.configuration.map { "\($0)/idcard-pipeline/tokens.json" }
    }

    /// The file of the sandbox's keys if nobody names one; that of the embedded endpoints is another.
    package func vaultKeyFile(embedded: Bool) -> String? {
        self.configuration.map { "\($0)/idcard-pipeline/\(embedded ? "embedded" : "vault").key" }
    }

    /// Replaces `~` at the start of a path, which no shell does in a file.
    package func expand(_ path: String) -> String {
        guard let home = self.home else { return path }
        if path == "~" { return home }
        return path.hasPrefix("~/") ? home + path.dropFirst() : path
    }
}
