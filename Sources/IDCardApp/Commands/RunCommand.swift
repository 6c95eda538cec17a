package import ArgumentParser
import Foundation
import IDCardCore

/// `run`: takes in every image, drives all to an end state, prints a summary, exits.
package struct RunCommand: AsyncParsableCommand {
    package static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Take in photos of identity cards, verify them and deliver them to the business backend.",
        discussion: """
            Every image among the paths (files, folders, globs) becomes a card, is recompressed, verified and delivered, fronts before their backs. \
            Running the same command again is safe: what is known is not read, verified or sent again, and what was interrupted goes on.

            Each image needs a business number. It comes, first found wins, from the manifest row, the sidecar IMAGE.json, --business-no, or the name of \
            the folder the image lies in (not a folder named here).

            Exit status: 0 all delivered (duplicates count as done) · 1 some card ended rejected, failed or held · 64 usage · 66 input cannot be read · \
            69 an endpoint stopped us (credentials, quota, TOKEN) · 74 sandbox or disk error · 75 work remains, run again · 78 configuration · \
            130/143 interrupted, all durable.
            """
    )

    @Argument(help: ArgumentHelp("Images, folders or globs to take in.", valueName: "path"))
    var paths: [String] = []

    @Option(
        name: .long,
        help: ArgumentHelp(
            "A CSV or JSONL file with metadata per image.",
            discussion: """
                Columns: path, business_no, user_no, expected_id_number, expected_name, side, priority. The path may be a URL, of a host in fetch.hosts; \
                a row then takes nothing from a sidecar or a folder.
                """,
            valueName: "file"
        ),
        completion: .file(extensions: ["csv", "jsonl", "ndjson"])
    )
    var manifest: String?

    @Option(name: .long, help: ArgumentHelp("The business number of images without one of their own.", valueName: "no"))
    var businessNo: String?

    @Option(name: .long, help: ArgumentHelp("The user account of images without one of their own.", valueName: "no"))
    var userNo: String?

    @Option(
        name: .long,
        help: ArgumentHelp(
            "With --embedded: where the built-in backend keeps documents and ledger.",
            discussion: "By default the folder embedded-documents in the sandbox.",
            valueName: "dir"
        ),
        completion: .directory
    )
    var documents: String?

    @Option(name: .long, help: "The form of the report on standard output.")
    var format = OutputFormat.text

    @Flag(name: [.long, .short], help: "No progress on standard error.")
    var quiet = false

    @OptionGroup var options: GlobalOptions

    /// Takes what the command line says.
    package init() {}

    package func validate() throws {
        guard self.documents == nil || self.options.embedded else {
            throw ValidationError("--documents goes with --embedded: only the built-in backend keeps documents here.")
        }
        // A variable that is not set (`--user-no "$NO"`) must not fall back on another source of the number unnoticed.
        for (name, value) in [("--business-no", self.businessNo), ("--user-no", self.userNo)] {
            guard value?.allSatisfy(\.isWhitespace) != true else {
                throw ValidationError("\(name) must not be empty; leave it out, or give the number.")
            }
            guard !SpreadsheetText.isDamage(value?.trimmed ?? "") else {
                throw ValidationError("\(name) \(SpreadsheetText.words).")
            }
        }
        if let number = self.businessNo, case .failure(let violation) = BusinessNumber.parse(number) {
            throw ValidationError("--business-no \(violation.words).")
        }
    }

    package func run() async throws {
        let status = await RunSession(command: self).run()
        if status != .delivered { throw status.exitCode }
    }
}
