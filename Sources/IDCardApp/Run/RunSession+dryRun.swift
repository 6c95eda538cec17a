import IDCardPipeline
import IDCardTriggers

extension RunSession {
    /// Shows what a run would do with each input, and returns the exit status that its refusals call for.
    ///
    /// Calls nobody and opens no sandbox: it works before there is a configuration.
    func dryRun() -> CommandStatus {
        do {
            let configuration = try self.options.loadConfiguration(requiringRemotes: false)
            self.say(configuration.notices)
            return try self.dryRun(configuration)
        } catch {
            return CommandFailure(error).report()
        }
    }

    private func dryRun(_ configuration: AppConfiguration) throws -> CommandStatus {
        // Where no backend is configured yet, neither is the account for it.
        let asksForUser = configuration.requiresUserNumber && configuration.delivery.url != nil
        let format = self.arguments.format
        var counts = PlannedInput.Counts()
        var inputs: [PlannedInput] = []
        try self.source(configuration).forEach { item, origins in
            let asked = asksForUser ? Self.requiringUserNumber(item, configuration: configuration) : item
            let hasAccount = configuration.delivery.userNumber != nil
            let input = PlannedInput(asked, origins, hasConfiguredUser: hasAccount)
            counts.add(input.action)
            switch format {
            case .text: Console.standardOutput(input.line)
            case .json: inputs.append(input)
            case .jsonl: Console.standardOutput(JSONText.line(input))
            }
        }
        switch format {
        case .text: Console.standardOutput(counts.line)
        case .json: Console.standardOutput(JSONText.document(DryRunReport(counts: counts, inputs: inputs)))
        case .jsonl: Console.standardOutput(JSONText.line(DryRunReport(counts: counts, inputs: nil)))
        }
        if !self.arguments.isQuiet {
            Console.standardError(
                "A dry run: nothing was taken in, sent or written; photos that are known already are not told apart."
            )
        }
        return Console.finish(consolation: "nothing was changed")
            ?? (counts[.refuse] > 0 ? .someNotDelivered : .delivered)
    }
}
