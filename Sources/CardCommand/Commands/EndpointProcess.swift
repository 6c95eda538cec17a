import ArgumentParser
import CardEmbedded
import CardModel
import Logging
import ServiceLifecycle
import UnixSignals

/// Runs one built-in endpoint until a signal ends it.
struct EndpointProcess {
    let service: any Service
    let logger: Logger

    /// Serves; an error that keeps it from serving ends the process in words.
    func run() async throws {
        try await CommandRunner.run {
            do {
                let group = ServiceGroup(
                    configuration: ServiceGroupConfiguration(
                        services: [.init(service: self.service)],
                        gracefulShutdownSignals: [.sigint, .sigterm],
                        logger: self.logger
                    )
                )
                try await group.run()
            } catch let error as EmbeddedError {
                throw CodedError(error)
            }
            return .delivered
        }
    }
}

/// Reads what an option says that takes one of several words.
func word<Word: RawRepresentable<String> & CaseIterable & Sendable>(of option: String)
    -> @Sendable (String) throws -> Word
{
    { text in
        guard let word = Word(rawValue: text) else {
            let known = Word.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("\(option) is one of \(known), got \(text).")
        }
        return word
    }
}

extension CodedError {
    /// A built-in endpoint cannot serve.
    init(_ error: EmbeddedError) {
        self.init(ReasonCode(rawValue: "embedded_unavailable"), .configuration, "\(error.message)")
    }
}

/// Where a built-in endpoint listens: only on loopback, since it has neither TLS nor real accounts.
struct ListeningOptions: ParsableArguments {
    @Option(name: .long, help: ArgumentHelp("The port to listen on; 0 for a free one.", valueName: "port"))
    var port = 0

    @Option(
        name: .long,
        help: ArgumentHelp("The least severity that is logged: trace, debug, info, … critical.", valueName: "level"),
        transform: word(of: "--log-level")
    )
    var logLevel = Logger.Level.warning

    var host: String { "127.0.0.1" }

    func validate() throws {
        guard (0...65_535).contains(self.port) else {
            throw ValidationError("--port is a number from 0 to 65535, got \(self.port).")
        }
    }

    /// Logs to standard error.
    var logger: Logger {
        var logger = Logger(label: "idcard-pipeline") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = self.logLevel
        return logger
    }
}
