import ArgumentParser
import CardEmbedded
import CardModel
import Logging
import ServiceLifecycle
import UnixSignals

/// The address of a built-in endpoint: only on loopback, since it has neither TLS nor real accounts.
struct ListeningOptions: ParsableArguments {
    @Option(help: ArgumentHelp("The port to listen on; 0 for a free one.", valueName: "port"))
    var port = 0

    @Option(
        help: ArgumentHelp("The lowest log level that is logged: trace, debug, info, … critical.", valueName: "level"),
        transform: word
    )
    var logLevel = Logger.Level.warning

    static let host = "127.0.0.1"

    func validate() throws {
        guard (0...65_535).contains(self.port) else { throw ValidationError(.optionsPort(self.port)) }
    }

    var logger: Logger {
        Logger(label: "idcard-pipeline") { _ in ConsoleLogHandler(logLevel: self.logLevel, format: .text) }
    }

    /// Prints the address of an endpoint that listens.
    static func announce(_ port: Int, _ path: String) async {
        await Console.standardOutput("http://\(Self.host):\(port)\(path)")
    }

    func serve(_ endpoint: any Service) async throws -> CommandStatus {
        let signals: [UnixSignal] = [.sigint, .sigterm]
        let group = ServiceGroup(services: [endpoint], gracefulShutdownSignals: signals, logger: self.logger)
        do { try await group.run() } catch let error as EmbeddedError { throw CodedError(error) }
        return .delivered
    }
}
