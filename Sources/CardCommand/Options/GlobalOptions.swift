import ArgumentParser
import CardModel
import Foundation
import Logging

/// The options of every command that uses the sandbox or an endpoint.
struct GlobalOptions: ParsableArguments {
    @Option(
        path: ArgumentHelp(
            "The configuration file.",
            discussion: """
                Default: the file named by IDCARD_CONFIG, else for root /etc/idcard-pipeline/idcard-pipeline.yaml if it \
                exists, else $XDG_CONFIG_HOME/idcard-pipeline/idcard-pipeline.yaml if it exists.
                """,
            valueName: "file"
        ),
        completion: .file(extensions: ["yaml", "yml"])
    )
    var config: String?

    @Option(help: ArgumentHelp("The folder of the sandbox (sandbox.path).", valueName: "dir"), completion: .directory)
    var sandbox: String?

    @Flag(help: "Use the built-in verifier and business backend, with their own sandbox.")
    var embedded = false

    @Flag(help: "Make a sandbox although the key file is that of another sandbox.")
    var newSandbox = false

    /// Loads the configuration with these options.
    ///
    /// - Parameters:
    ///   - requiringRemotes: whether the endpoints are needed, and with them the files of all secrets, which root reads as the
    ///     owner of the sandbox.
    ///   - further: values of other options of the command line, by the names of their keys.
    func load(requiringRemotes: Bool = false, _ further: [String: String] = [:]) throws -> LoadedConfiguration {
        Console.repeatOptions(config: self.config, sandbox: self.sandbox, embedded: self.embedded)
        var loaded = try LoadedConfiguration(
            file: self.config,
            options: (self.sandbox.map { ["sandbox.path": $0] } ?? [:]).merging(further) { $1 },
            embedded: self.embedded,
            requiringRemotes: requiringRemotes,
            readingFiles: requiringRemotes
        )
        loaded.configuration.makesNewSandbox = self.newSandbox
        Language.prefer(loaded.configuration.language)
        if let zone = loaded.configuration.timeZone, getenv("TZ").map({ String(cString: $0) }) != zone {
            setenv("TZ", zone, 1)
            tzset()
        }
        return loaded
    }

    /// Loads the configuration for a command that needs no secret but the key; root becomes the owner of the sandbox.
    func loadAsOwner() throws -> Configuration {
        let configuration = try self.load().configuration
        try SandboxOwner.become(of: configuration.sandboxPath)
        return configuration
    }
}

extension String {
    /// The text quoted as one word of a shell.
    var quotedForShell: String {
        self.wholeMatch(of: /[\w\/.:@+-]+/) == nil ? "'" + self.replacing("'", with: "'\\''") + "'" : self
    }
}

/// The options of the commands that process cards.
struct PipelineOptions: ParsableArguments {
    @Option(
        path: ArgumentHelp(
            "With --embedded: the folder for documents and ledger of the built-in backend.",
            discussion: "Default: the folder embedded-documents in the sandbox.",
            valueName: "dir"
        ),
        completion: .directory
    )
    var documents: String?

    @OptionGroup var options: GlobalOptions

    func validate() throws {
        guard self.documents == nil || self.options.embedded else { throw ValidationError(.optionsDocuments) }
    }

    /// Loads the configuration, and prints its warnings.
    ///
    /// - Parameter isService: whether programs read the messages, so that they follow `log.format`.
    func loadConfiguration(
        requiringRemotes: Bool,
        _ further: [String: String] = [:],
        isService: Bool = false
    ) throws -> Configuration {
        var configuration =
            try requiringRemotes
            ? self.options.load(requiringRemotes: true, further).configuration : self.options.loadAsOwner()
        if let documents { configuration.documents = documents }
        if isService, configuration.logFormat == .json { Console.sayRecords() }
        for notice in configuration.notices { Console.warn(notice) }
        return configuration
    }
}

extension SubmittedFields {
    /// Reads the options for every photo. An empty one, from an unset variable (`--user-no "$NO"`), is refused: it must not
    /// silently fall back on another source of the number.
    static func options(businessNo: String? = nil, userNo: String?) throws(ValidationError) -> SubmittedFields {
        for (name, value) in [("--business-no", businessNo), ("--user-no", userNo)] {
            guard value?.allSatisfy(\.isWhitespace) != true else { throw ValidationError(.optionsEmpty(name)) }
        }
        var texts: [SubmittedField: String] = [:]
        (texts[.businessNumber], texts[.userNumber]) = (businessNo, userNo)
        do { return try SubmittedFields(texts) } catch { throw ValidationError(error.message) }
    }
}

extension Configuration {
    func logger(runID: String) -> Logger {
        let (level, format) = (self.logLevel, self.logFormat)
        var logger = Logger(label: "idcard-pipeline") { _ in ConsoleLogHandler(logLevel: level, format: format) }
        logger[metadataKey: "run.id"] = "\(runID)"
        return logger
    }
}

/// The options of a command that reports about the sandbox.
struct ReportOptions: ParsableArguments {
    @Option(help: "Format of the report.")
    var format = ReportFormat.text

    @OptionGroup var options: GlobalOptions
}

/// The options of a command that maintains the sandbox, reports, and has a line in the access log.
struct UpkeepOptions: ParsableArguments {
    @Option(help: "Format of the report.")
    var format = ReportFormat.text

    @OptionGroup var purpose: PurposeOptions

    @OptionGroup var options: GlobalOptions
}
