package import ArgumentParser
import Foundation
import IDCardCore
import IDCardPipeline
import IDCardSandbox

extension CardsCommand {
    /// Writes what is known of one card into a folder.
    package struct Export: AsyncParsableCommand {
        package static let configuration = CommandConfiguration(
            commandName: "export",
            abstract: "Write the fields and the image of one card into a folder, for its owner's eyes only.",
            discussion: """
                Makes the files ID.json and ID.jpg with mode 0600; a file that is there already is not replaced. The \
                export is written down in the access log before anything is written.

                Exit status: 0 done · 64 usage · 66 there is no such card, or the folder cannot be written · 74 sandbox.
                """
        )

        @Argument(help: ArgumentHelp("The card's id.", valueName: "card-id"))
        var card: String

        @Option(
            name: .long,
            help: ArgumentHelp("The folder; it is made if it is not there.", valueName: "dir"),
            completion: .directory
        )
        var output: String

        @OptionGroup var purpose: PurposeOptions

        @OptionGroup var options: GlobalOptions

        /// Takes what the command line says.
        package init() {}

        package func run() async throws {
            let origin = self.purpose.origin(of: "cards export")
            try await SandboxReading(options: self.options, isReadOnly: false).with { store in
                let id = try await CardSelection.one(CardID(rawValue: self.card), in: store)
                guard let card = try await store.card(id) else { throw CardCommandError.unknown([id]) }
                guard card.state != .erased else {
                    throw CardCommandError(
                        message: "card \(id) is erased; there is nothing of it",
                        status: .inputUnreadable
                    )
                }
                try await store.record(.export, of: id, by: origin, now: Timestamp(Date()))
                guard let details = try await store.details(of: id) else { throw CardCommandError.unknown([id]) }
                let folder = try ExportFolder(self.output)
                var files = [("\(id).json", Data(JSONText.document(CardExport(details)).utf8))]
                if details.imageByteCount != nil {
                    files.append(("\(id).jpg", try await store.preparedImage(of: id).jpeg))
                }
                try folder.write(files)
                for (name, _) in files { Console.standardOutput("\(self.output)/\(name)") }
                return .delivered
            }
        }
    }
}
