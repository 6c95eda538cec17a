import ArgumentParser
import CardEmbedded
import CardEngine
import CardModel
import CardStore
import Foundation
import Glibc

extension CardsCommand {
    struct Erase: Command {
        static let configuration = CommandConfiguration(
            abstract: "Erase cards for good: only a tombstone without personal data stays.",
            discussion: """
                The data key goes first, then image, fields and everything else; no run brings the card back from the same \
                file. What lies outside the sandbox is named in the certificate that is printed and kept in erasures.jsonl: \
                source files are not touched, and a real backend is not told. Of the built-in backend the documents are erased \
                too; if it is running, when it ends.

                By itself no card expires after a clock has jumped by more than a week, until it has run for 20 hours. \
                --expired goes by a clock that is ahead at once: use it where the machine was off for long. A term that is \
                set too short erases more than was meant: see first what goes with --dry-run.

                Erasing a card again is harmless and answers the same. Exit status: 0 erased, or listed · 1 not confirmed · 64 usage · \
                66 there is no such card · 74 sandbox.
                """
        )

        @Argument(help: ArgumentHelp("The ids of cards.", valueName: "card-id"))
        var cards: [String] = []

        @Option(help: ArgumentHelp("All cards of this business number.", valueName: "no"))
        var businessNo: String?

        @Flag(help: "All cards that have been in their state for longer than its retention.")
        var expired = false

        @Option(
            help: ArgumentHelp(
                "Why, as a code: letters, digits and _; it is shown as requested:CODE.",
                valueName: "code"
            )
        )
        var reason: String?

        @OptionGroup var purpose: PurposeOptions

        @Flag(help: "Erase without asking.")
        var yes = false

        @Flag(help: "List the cards that would be erased, and erase nothing.")
        var dryRun = false

        @Option(
            path: ArgumentHelp("Where the built-in backend keeps its documents, if elsewhere.", valueName: "dir"),
            completion: .directory
        )
        var documents: String?

        @Option(help: "The form of the certificates, or of the list.")
        var format = OutputFormat.text

        @OptionGroup var options: GlobalOptions

        func validate() throws {
            guard !self.cards.isEmpty || self.businessNo != nil || self.expired else {
                throw ValidationError("Name cards by their id, by --business-no or by --expired.")
            }
            guard self.businessNo?.trimmed.isEmpty != true else {
                throw ValidationError("--business-no must not be empty; give the number.")
            }
            guard self.reason.map({ ReasonCode(given: $0) != nil }) ?? true else {
                throw ValidationError(
                    "--reason is a code of 1 to 40 letters, digits and _, and no identity number; such as holder_request."
                )
            }
            guard self.yes || self.dryRun || isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 else {
                throw ValidationError("Nobody can be asked here: add --yes to erase for good.")
            }
        }

        func execute() async throws -> CommandStatus {
            let origin = try self.purpose.origin(of: "cards erase")
            return try await self.options.withSandbox { store, configuration in
                let (named, now, terms) = (
                    try await self.named(in: store), Timestamp.now, configuration.engine.retention
                )
                // Those that are over at this time, and no others, are erased later.
                let expired = self.expired ? try await store.expired(terms, now: now) : []
                if self.dryRun {
                    if expired == nil { Self.warnOfClock() }
                    let others = (expired ?? []).map(\.card).filter { !named.contains($0) }
                    // As `cards list` does.
                    let documents = try await store.cards(named + others, for: .process).map(CardDocument.init)
                    await self.format.print(documents, as: "cards")
                    return .delivered
                }
                guard self.isConfirmed(named, expired ?? []) else {
                    Console.standardError("nothing was erased")
                    return .someNotDelivered
                }
                let reason = self.reason.flatMap(ReasonCode.init(given:)) ?? .requested
                var certificates: [ErasureCertificate] = []
                do {
                    certificates = try await store.erase(named, because: reason, by: origin, now: .now)
                    if self.expired {
                        try await Self.eraseExpired(terms, at: now, in: store, by: origin, certifiedIn: &certificates)
                    }
                    let folder = self.documents ?? configuration.embeddedDocuments
                    if try await !store.eraseEmbeddedDocuments(in: folder) {
                        Console.standardError(
                            "warning: the built-in backend is running; it keeps its documents of erased cards until it ends"
                        )
                    }
                } catch {
                    // What had expired and is erased is not found again.
                    if !certificates.isEmpty { await self.format.print(certificates, as: "erasures") }
                    throw error
                }
                await self.format.print(certificates, as: "erasures")
                return .delivered
            }
        }

        /// The cards that are named by their ids or by their business number, each once.
        private func named(in store: CardStore) async throws -> [CardID] {
            var named = self.cards.map(CardID.init)
            if let businessNo { named += try await Self.cards(of: businessNo, in: store) }
            var seen: Set<CardID> = []
            return named.filter { seen.insert($0).inserted }
        }

        private static func cards(of businessNo: String, in store: CardStore) async throws -> [CardID] {
            var filter = CardFilter()
            filter.number = BusinessNumber(stored: businessNo.trimmed)
            let found = try await store.cardIDs(filter)
            guard !found.isEmpty else {
                throw CodedError.notFound(
                    "there is no card of the business number \(Redacted(businessNo)); list them: idcard-pipeline cards list"
                )
            }
            return found
        }

        /// Erases every card whose term is over: whoever asks for it says that the clock is right.
        private static func eraseExpired(
            _ terms: RetentionTerms,
            at now: Timestamp,
            in store: CardStore,
            by origin: AccessOrigin,
            certifiedIn certificates: inout [ErasureCertificate]
        ) async throws {
            while true {
                let erased = try await store.eraseExpired(terms, clockIsRight: true, by: origin, now: now)
                guard !erased.isEmpty else { break }
                certificates += erased
            }
            if try await store.see(.now, isRight: true).doubted != nil { Self.warnOfClock() }
        }

        private static func warnOfClock() {
            Console.standardError(
                """
                warning: the clock is more than a week behind the last time that the sandbox knows, so no card expires; \
                set the clock (date), or leave it running for 20 hours if it is right
                """
            )
        }

        private func isConfirmed(_ named: [CardID], _ expired: [(card: CardID, since: Timestamp)]) -> Bool {
            guard !self.yes else { return true }
            var what: [String] = []
            if !named.isEmpty { what.append(named.count.of("card")) }
            if let oldest = expired.map(\.since).min() {
                what.append(
                    "\(expired.count.of("card")) whose retention is over, the oldest unchanged since \(oldest),"
                )
            }
            guard !what.isEmpty else { return true }
            Console.standardError("Erase \(what.joined(separator: " and ")) for good? Type yes:")
            return readLine() == "yes"
        }
    }
}

extension CardStore {
    /// Erases the documents of all erased cards in the built-in backend, whose folder lies on this machine.
    ///
    /// - Returns: whether it holds none of them: one that is running keeps them until its process ends.
    @discardableResult
    func eraseEmbeddedDocuments(in folder: String) async throws -> Bool {
        guard self.kind == .embedded else { return true }
        let documents = try await self.erasedDocuments()
        do throws(EmbeddedError) {
            try EmbeddedBackend.erase(documents, in: folder)
            return true
        } catch {
            guard error.code == .folderInUse else { throw error }
            return false
        }
    }
}

extension ErasureCertificate: Report {
    /// The certificate for people: what is gone, and what lies outside.
    var lines: [String] {
        func times(_ count: Int) -> String { count == 1 ? "once" : "\(count) times" }
        var lines = ["\(self.card)  erased  \(self.erasedAt)  \(self.reason)"]
        if self.sourceFileCount > 0 {
            lines.append("  not touched: \(self.sourceFileCount) source file(s) outside the sandbox")
        }
        if self.exportCount > 0 {
            lines.append(
                "  not touched: what was exported of it, \(times(self.exportCount)) (where to is not known here)"
            )
        }
        lines.append("  not touched: backups from before, which hold it as long as their key is kept")
        if let remote = self.verifier.words { lines.append("  the verification service \(remote)") }
        if let remote = self.backend.words {
            lines.append("  the business backend \(remote) (\(self.deliveries.joined(separator: ", ")))")
        }
        if !self.isScrubbed { lines.append("  not finished: somebody reads the sandbox; the next erasure ends it") }
        return lines
    }
}

extension ErasureCertificate.Remote {
    fileprivate var words: String? {
        switch self {
        case .notSent: nil
        case .refused: "was sent it and refused it"
        case .mayHold: "was sent it and may hold it"
        case .holds: "was sent it and took it"
        }
    }
}
