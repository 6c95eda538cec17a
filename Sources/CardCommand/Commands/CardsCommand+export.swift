import ArgumentParser
import CardModel
import CardStore
import Foundation
import Glibc

extension CardsCommand {
    struct Export: Command {
        static let configuration = CommandConfiguration(
            abstract: "Write the fields and the image of one card into a folder.",
            discussion: """
                Makes the files ID.json and ID.jpg, named by the id as it is given here, which only their owner can read (mode 0600). \
                A photo that waits for a person before it is prepared is written as it came (ID.jpg or ID.png). An existing file is not replaced. The access log \
                gets its line before anything is written.

                Exit status: 0 done · 1 there is no image to write · 64 usage · 66 there is no such card, or the folder cannot be written · 74 sandbox.
                """
        )

        @Argument(help: ArgumentHelp("The card's id, or its last 8 digits or more.", valueName: "card-id"))
        var card: String

        @Option(
            help: ArgumentHelp("The folder; it is made if it does not exist.", valueName: "dir"),
            completion: .directory,
            transform: path
        )
        var output: String

        @OptionGroup var purpose: PurposeOptions

        @OptionGroup var options: GlobalOptions

        func execute() async throws -> CommandStatus {
            let origin = try self.purpose.origin(of: "cards export")
            // An id never has a slash.
            let paths =
                self.card.contains("/") ? [] : ["json", "jpg", "png"].map { "\(self.output)/\(self.card).\($0)" }
            let made: RootFiles
            do { made = try RootFiles(paths, in: self.output, for: self.options) } catch let error as CodedError {
                throw CodedError(error.code, error.kind == .storage ? .input : error.kind, error.message)
            }
            defer { made.removeEmpty() }
            return try await self.options.withSandbox { store, _ in
                let id = try await store.listings.ids(matching: [self.card])[0]
                let export = try await store.listings.export(id, to: origin, now: .now)
                guard export.card.state != .erased else { throw CodedError.notFound(.exportErased(id)) }
                var files = [("\(self.card).json", JSONText.data(export, isIndented: true))]
                if let image = export.image {
                    files.append(("\(self.card).\(ImageFormat.sniff(image) == .png ? "png" : "jpg")", image))
                }
                if let at = export.imageDroppedAt { Console.notice(.cardsImageDropped(at)) }
                let paths = try Self.write(files, into: self.output, made)
                for path in paths { await Console.standardOutput(path) }
                guard export.image == nil, export.imageDroppedAt == nil else { return .delivered }
                Console.error(.exportNoImage(id))
                return .someNotDelivered
            }
        }

        /// Writes new files and returns their paths: either all are written or none.
        private static func write(
            _ files: [(name: String, content: Data)],
            into folder: String,
            _ made: RootFiles
        ) throws(CodedError) -> [String] {
            var written: [String] = []
            do {
                if !made.areThere { try DurableFile.makeFolders(folder, mode: 0o700) }
                for (name, content) in files {
                    let path = "\(folder)/\(name)"
                    try made.write(content, to: path)
                    written.append(path)
                }
                if !made.areThere { try DurableFile.synchroniseFolder(folder) }
            } catch {
                for path in written { unlink(path) }
                // The caller chose the folder; the sandbox is not at fault.
                throw CodedError(error.code, .input, error.message)
            }
            return written
        }
    }

    struct Log: Command {
        static let configuration = CommandConfiguration(
            abstract: "Show the access log: who looked at or changed the personal data of which card, when and why.",
            discussion: "The log holds no personal data. Showing it adds a line. fsck checks that no line was changed."
        )

        @Option(help: ArgumentHelp("Only lines about this card.", valueName: "card-id"))
        var card: String?

        @Option(help: ArgumentHelp("Only lines after this number.", valueName: "number"))
        var after: Int64 = 0

        @OptionGroup var purpose: PurposeOptions

        @Option(help: "Format of the list.")
        var format = LineFormat.text

        @OptionGroup var options: GlobalOptions

        func execute() async throws -> CommandStatus {
            let origin = try self.purpose.origin(of: "cards log")
            return try await self.options.withSandbox { store, _ in
                let card = try await store.listings.ids(matching: self.card.map { [$0] } ?? []).first
                try await store.listings.exportAccessLog(to: origin, now: .now) { page in
                    for record in page where record.number > self.after {
                        guard card == nil || record.cardID == card else { continue }
                        try Console.requireReader()
                        await self.format.print(record)
                    }
                }
                return .delivered
            }
        }
    }
}

extension AccessRecord: Report {
    var lines: [Message] {
        let subject = self.action.padded(to: 13) + (self.cardID.map { "  \($0)" } ?? "")
        return [.textVerbatim("\(self.number)  \(self.at.local)  \(subject)  \(self.actor)  (\(self.purpose))")]
    }
}
