import ArgumentParser
import CardModel
import CardServer
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

    @OptionGroup var upkeep: UpkeepOptions

    func execute() async throws -> CommandStatus {
        let (stage, host): (Stage, String?) =
            switch self.endpoint {
            case "verifier": (.verify, nil)
            case "backend": (.deliver, nil)
            default: (.fetch, self.endpoint)
            }
        return try await self.upkeep.options.withSandbox { store, _ in
            let origin = try self.upkeep.purpose.origin(of: "resume")
            let ended = try await store.endpoints.resume(host, stage: stage, by: origin, now: .now)
            let isAtWork = try await !store.upkeep.workers().isEmpty
            let resumed: Message = isAtWork ? .resumeNow(self.endpoint) : .resumeNext(self.endpoint)
            let message = ended.isEmpty ? .resumeNothing(self.endpoint) : resumed
            await ObjectReport(["endpoint": self.endpoint, "ended": ended, "at_work": isAtWork], [message])
                .print(self.upkeep.format)
            return .delivered
        }
    }
}
