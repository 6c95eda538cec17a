import CardModel
import CardStore
import Foundation
import Logging

extension GlobalOptions {
    /// Loads the configuration as these options ask.
    func loadConfiguration(requiringRemotes: Bool) throws -> Configuration {
        let state =
            ProcessInfo.processInfo.environment["XDG_STATE_HOME"]
            ?? (ProcessInfo.processInfo.environment["HOME"] ?? "/tmp") + "/.local/state"
        let folder = state + "/idcard-pipeline-next" + (self.embedded ? "/embedded" : "/sandbox")
        var configuration = Configuration(sandboxPath: URL(filePath: self.sandbox ?? folder).path)
        configuration.isEmbedded = self.embedded
        guard self.embedded || !requiringRemotes else {
            throw ConfigurationError([
                CodedError(ReasonCode(rawValue: "setting_missing"), .configuration, "verification.url is missing")
            ])
        }
        return configuration
    }
}

extension Configuration {
    /// The logger of one run.
    func logger(runID: String) -> Logger {
        let level =
            ProcessInfo.processInfo.environment["IDCARD_LOG_LEVEL"].flatMap { Logger.Level(rawValue: $0) } ?? .warning
        var logger = Logger(label: "idcard-pipeline") { _ in ConsoleLogHandler(level: level, format: .text) }
        logger[metadataKey: "run.id"] = "\(runID)"
        return logger
    }

    /// Reads the vault keys, or makes one where the sandbox is made.
    func keyRing(creating: Bool) throws -> KeyRing {
        let path = self.sandboxPath + ".key"
        if let text = try? String(contentsOfFile: path, encoding: .utf8) { return try KeyRing(text: text) }
        guard creating else {
            throw CodedError(.wrongKey, .configuration, "there is no vault key at \(Redacted(path)); put it back there")
        }
        let key = VaultKey.random()
        try DurableFile.makeFolders(DurableFile.folder(of: path), mode: 0o700)
        try DurableFile.replace(path, with: Array(key.reveal().utf8))
        return KeyRing(key)
    }
}
