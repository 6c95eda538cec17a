import ArgumentParser
import CardModel
import CardStore

struct ResumeCommand: Command {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Call an endpoint now that is left alone, whatever it stopped or waits for.",
        discussion: """
            Use it after the cause of a stop is gone, or to end a wait that an endpoint asked for. One call finds out: if it is \
            refused again, the next wait begins. A process at work calls within seconds; without one, the next run does. status \
            shows what stopped and since when. Ends with 0, also if nothing is left alone; 66 if there is no sandbox.
            """
    )

    @Argument(help: "What to call: verifier, backend, or a host of images as status shows it.")
    var endpoint: String

    @Option(help: "Format of the report.")
    var format = ReportFormat.text

    @OptionGroup var purpose: PurposeOptions

    @OptionGroup var options: GlobalOptions

    func execute() async throws -> CommandStatus {
        let (stage, host): (Stage, String?) =
            switch self.endpoint {
            case "verifier": (.verify, nil)
            case "backend": (.deliver, nil)
            default: (.fetch, self.endpoint)
            }
        return try await self.options.withSandbox { store, _ in
            let origin = try self.purpose.origin(of: "resume")
            let ended = try await store.resume(host, stage: stage, by: origin, now: .now)
            let isAtWork = try await !store.workers().isEmpty
            await ResumeReport(endpoint: self.endpoint, ended: ended, isAtWork: isAtWork).print(self.format)
            return .delivered
        }
    }
}

private struct ResumeReport: Report {
    /// As it was named.
    let endpoint: String
    /// What was ended: stages with hosts, since when, and why.
    let ended: [EndpointPause]
    /// Whether a process is there that calls now.
    let isAtWork: Bool

    private enum CodingKeys: String, CodingKey {
        case endpoint, ended
        case isAtWork = "at_work"
    }

    var lines: [String] {
        guard !self.ended.isEmpty else { return [Message.resumeNothing(self.endpoint).text()] }
        return [(self.isAtWork ? Message.resumeNow(self.endpoint) : .resumeNext(self.endpoint)).text()]
    }
}
