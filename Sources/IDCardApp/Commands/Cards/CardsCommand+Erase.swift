package import ArgumentParser
import Foundation
import IDCardCore
import IDCardPipeline
import IDCardSandbox

extension CardsCommand {
    /// Erases cards for good.
    package struct Erase: AsyncParsableCommand {
        package static let configuration = CommandConfiguration(
            commandName: "erase",
            abstract: "Erase cards for good: only a tombstone without personal data stays.",
            discussion: """
                The data key goes first, then image, fields and everything else; no run brings the card back from the \
                same file. What lies outside the sandbox is named in the certificate that is printed and kept in \
                erasures.jsonl: source files are not touched, and a real backend is not told. Of the built-in backend \
                the documents are erased too, unless it is running.

                Retention does not believe a clock that has jumped more than a week ahead until it has run for 20 hours. \
                --expired goes by the clock at once: use it where the machine was off for long, or its clock was wrong.

                Erasing a card again is harmless and answers the same. Exit status: 0 erased · 64 usage · 66 there is no \
                such card · 74 sandbox.
                """
        )

        @Argument(help: ArgumentHelp("The ids of cards.", valueName: "card-id"))
        var cards: [String] = []

        @Option(name: .long, help: ArgumentHelp("All cards of this business number.", valueName: "no"))
        var businessNo: String?

        @Flag(name: .long, help: "All cards that have been in their state for longer than its retention.")
        var expired = false

        @Option(name: .long, help: ArgumentHelp("Why, as a code: letters, digits and _.", valueName: "code"))
        var reason: String?

        @OptionGroup var purpose: PurposeOptions

        @Flag(name: .long, help: "Erase without asking.")
        var yes = false

        @Option(
            name: .long,
            help: ArgumentHelp("Where the built-in backend keeps its documents, if elsewhere.", valueName: "dir"),
            completion: .directory
        )
        var documents: String?

        @Option(name: .long, help: "The form of the certificates.")
        var format = OutputFormat.text

        @OptionGroup var options: GlobalOptions

        /// Takes what the command line says.
        package init() {}

        package func validate() throws {
            guard !self.cards.isEmpty || self.businessNo != nil || self.expired else {
                throw ValidationError("Name cards by their id, by --business-no or by --expired.")
            }
            if let businessNo = self.businessNo, BusinessNumber(stored: businessNo) == nil {
                throw ValidationError("--business-no has 1 to \(BusinessNumber.maximumLength) printable characters.")
            }
            if let reason = self.reason {
                let isCode = reason.utf8.allSatisfy { byte in
                    UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte || UInt8(ascii: "A")...UInt8(ascii: "Z") ~= byte
                        || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || byte == UInt8(ascii: "_")
                }
                guard isCode, 1...40 ~= reason.utf8.count else {
                    throw ValidationError(
                        "--reason is a code of 1 to 40 letters, digits and _, such as holder_request."
                    )
                }
            }
            guard self.yes || Console.canAsk else {
                throw ValidationError("Nobody can be asked here: add --yes to erase for good.")
            }
        }

        package func run() async throws {
            try await SandboxReading(options: self.options, isReadOnly: false).with { store in
                let configuration = try self.options.loadConfiguration(requiringRemotes: false)
                let named = try await self.namedCards(in: store)
                let expired = try await self.expiredCards(in: store, configuration: configuration)
                let cards = named + expired.filter { !named.contains($0) }
                if self.expired { try await self.warnOfClock(in: store) }
                guard self.isConfirmed(cards.count) else {
                    Console.standardError("Nothing was erased.")
                    return .someNotDelivered
                }
                // Who has expired cards erased says that the clock is right.
                if self.expired { try await store.see(Timestamp(Date()), believing: true) }
                var certificates = try await self.erase(named, under: nil, in: store)
                // Asked anew: while a person was thinking, some may have come back to life.
                certificates += try await self.erase(
                    cards.filter { !named.contains($0) },
                    under: configuration.retention,
                    in: store
                )
                _ = try await store.continueErasures(within: configuration.retentionRunTime)
                certificates = try await store.erasureCertificates(of: certificates.map(\.card))
                if store.endpoints == .embedded {
                    let folder = self.documents ?? configuration.sandboxPath + "/embedded-documents"
                    try await EmbeddedErasure(store: store, folder: folder).finish()
                    certificates = try await store.erasureCertificates(of: cards)
                }
                self.print(certificates)
                return .delivered
            }
        }

        private func erase(
            _ cards: [CardID],
            under retention: Retention?,
            in store: SandboxStore
        ) async throws -> [ErasureCertificate] {
            guard !cards.isEmpty else { return [] }
            return try await store.erase(
                cards,
                under: retention,
                reason: self.reason.map(ReasonCode.init(rawValue:)) ?? (self.expired ? .retention : .requested),
                by: self.purpose.origin(of: "cards erase"),
                now: Timestamp(Date())
            )
        }

        private func namedCards(in store: SandboxStore) async throws -> [CardID] {
            let number = self.businessNo.flatMap(BusinessNumber.init(stored:))
            guard !self.cards.isEmpty || number != nil else { return [] }
            var selection = CardSelection(ids: self.cards.map(CardID.init), businessNumber: number)
            selection.takesBeginnings = false
            return try await selection.cards(in: store)
        }

        private func expiredCards(in store: SandboxStore, configuration: AppConfiguration) async throws -> [CardID] {
            guard self.expired else { return [] }
            return try await store.expired(under: configuration.retention, limit: .max, now: Timestamp(Date()))
        }

        private func warnOfClock(in store: SandboxStore) async throws {
            let seen = try await store.see(Timestamp(Date()), believing: false)
            guard let doubted = seen.doubted else { return }
            Console.standardError(
                "The clock says \(doubted.upperBound), the last time that the sandbox saw is \(seen.last): what expires "
                    + "goes by the clock, so make sure that it is right."
            )
        }

        private func isConfirmed(_ count: Int) -> Bool {
            guard !self.yes, count > 0 else { return true }
            return Console.ask("Erase \(count) \(count == 1 ? "card" : "cards") for good? Type yes:") == "yes"
        }

        private func print(_ certificates: [ErasureCertificate]) {
            switch self.format {
            case .text:
                for certificate in certificates {
                    for line in ErasureWords(certificate).lines { Console.standardOutput(line) }
                }
            case .json: Console.standardOutput(JSONText.document(["erasures": certificates]))
            case .jsonl: for certificate in certificates { Console.standardOutput(JSONText.line(certificate)) }
            }
        }
    }
}
