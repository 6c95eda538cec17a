package import ArgumentParser
import CardModel

/// `watch`: takes in the photos that arrive in folders, until a signal.
package struct WatchCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "watch",
        abstract: "Watch folders for photos of identity cards, verify them and deliver them to the business backend.",
        discussion: """
            Every image that arrives in the folders, or below them, becomes a card as with run, once it is complete: closed or \
            moved in, or standing still for watch.quiet_time. Its file is moved to done (or deleted, or left: watch.after) only \
            after the card is durable; what is refused goes to failed, with a note NAME.failed.json that says why. Whatever \
            kills the process, the same command goes on where it stopped.

            Each image needs a business number: from its sidecar IMAGE.json, or the name of the folder it lies in, directly \
            below the watched one. intake.business_no_from says otherwise.

            Standard output has one line for each file whose card has ended. Exit status: 64 usage · 66 a folder cannot be read \
            · 74 sandbox or disk error · 78 configuration · 130/143 ended by a signal, all durable.
            """
    )

    @Argument(help: ArgumentHelp("Folders to watch; without any, those of watch.folders.", valueName: "dir"))
    var folders: [String] = []

    @Option(name: .long, help: ArgumentHelp("The user account of images without one of their own.", valueName: "no"))
    var userNo: String?

    @Option(name: .long, help: "The form of the lines on standard output.")
    var format = LineFormat.text

    @Flag(name: [.long, .short], help: "No words on standard error but warnings.")
    var quiet = false

    @OptionGroup var options: PipelineOptions

    /// Takes what the command line says.
    package init() {}

    package func validate() throws {
        _ = try SubmittedFields.options(userNo: self.userNo)
    }

    package func run() async throws {
        try await CommandRunner.run {
            let configuration = try self.options.loadConfiguration(requiringRemotes: true)
            let arguments = WatchSession.Arguments(
                folders: self.folders,
                fields: try SubmittedFields.options(userNo: self.userNo),
                format: self.format,
                isQuiet: self.quiet
            )
            return try await WatchSession(arguments: arguments, configuration: configuration).run()
        }
    }
}
