import ArgumentParser
import CardEmbedded
import CardEngine
import CardModel
import CardStore
import Glibc

extension CardsCommand {
    struct Erase: Command {
        static let configuration = CommandConfiguration(
            abstract: "Erase cards for good; only a record without personal data stays.",
            discussion: """
                The data key is erased first, then the image, the fields and everything else. No run imports the same file \
                again. A certificate is printed and kept in erasures.jsonl; it names what the card has outside the sandbox. Source \
                files stay, and a real backend is not told. The built-in backend erases its documents, too; if it is running, \
                when it ends.

                After the clock jumps by more than a week, no card expires by itself for 20 hours. --expired trusts a clock that \
                is ahead at once: use it after the machine was off for a long time. A retention that is set too short erases too \
                many cards: look first with --dry-run.

                Erasing a card again changes nothing and prints the same certificate. Exit status: 0 erased, listed, or waiting for a \
                second person (review.four_eyes) · 1 not confirmed, or refused · 64 usage · 66 there is no such card · 74 sandbox.
                """
        )

        @Argument(help: ArgumentHelp("The ids of cards, or their last 8 digits or more.", valueName: "card-id"))
        var cards: [String] = []

        @Option(help: ArgumentHelp("All cards of this business number.", valueName: "no"))
        var businessNo: String?

        @Flag(help: "Replace their business numbers by digests, too; done by itself for a number that names a person.")
        var withNumber = false

        @Flag(help: "All cards past the retention of their state.")
        var expired = false

        @Option(
            help: ArgumentHelp("Why, as a code of letters, digits and _; shown as requested:CODE.", valueName: "code")
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

        @Option(help: "Format of the certificates, or of the list.")
        var format = OutputFormat.text

        @OptionGroup var options: GlobalOptions

        func validate() throws {
            guard !self.cards.isEmpty || self.businessNo != nil || self.expired else {
                throw ValidationError(.eraseNoneNamed)
            }
            guard self.businessNo?.trimmed.isEmpty != true else { throw ValidationError(.eraseNumberEmpty) }
            guard self.reason.map({ ReasonCode(given: $0) != nil }) ?? true else { throw ValidationError(.eraseReason) }
            guard self.yes || self.dryRun || isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 else {
                throw ValidationError(.eraseNoTerminal)
            }
        }

        func execute() async throws -> CommandStatus {
            let origin = try self.purpose.origin(of: "cards erase")
            return try await self.options.withSandbox { store, configuration in
                let named = try await self.named(in: store)
                let (now, terms) = (Timestamp.now, configuration.engine.retention)
                // Only the cards that have expired at this time are erased later.
                let expired = self.expired ? try await store.upkeep.expired(terms, now: now) : []
                let others = (expired ?? []).map(\.card).filter { !named.contains($0) }
                if self.dryRun {
                    if expired == nil { Console.warn(.eraseClock) }
                    // As in `cards list`.
                    let documents = try await store.listed(store.listings.cards(named + others, for: .process))
                    await self.format.print(documents, as: "cards")
                    return .delivered
                }
                guard self.isConfirmed(named, expired ?? []) else {
                    Console.say(.eraseNothing)
                    return .someNotDelivered
                }
                let reason = self.reason.flatMap(ReasonCode.init(given:)) ?? .requested
                try await configuration.requireSecond(for: configuration.fourEyesOfFile, in: store, by: origin)
                var (certificates, wasRefused) = ([ErasureCertificate](), false)
                do {
                    for (cards, reason, listed) in [(named, reason, nil), (others, .retention, now)] {
                        let upkeep = store.upkeep
                        let outcome = try await upkeep.erase(
                            cards,
                            because: reason,
                            withNumber: self.withNumber,
                            selectedAt: listed,
                            by: origin,
                            now: .now
                        )
                        outcome.waiting.forEach { Console.say(.cardsWaitsForSecond($0)) }
                        outcome.refused.forEach { Console.error($0.message) }
                        wasRefused = wasRefused || !outcome.refused.isEmpty
                        certificates += outcome.certificates
                        if let failure = outcome.failure { throw failure }
                    }
                    if self.expired { try await self.dropImages(in: store, terms, by: origin, now: now) }
                    let folder = self.documents ?? configuration.embeddedDocuments
                    if try await !store.eraseEmbeddedDocuments(in: folder) { Console.warn(.eraseBackendRuns) }
                } catch {
                    // These cannot be listed again: print their certificates before failing.
                    if !certificates.isEmpty { await self.format.print(certificates, as: "erasures") }
                    throw error
                }
                await self.format.print(certificates, as: "erasures")
                return wasRefused ? .someNotDelivered : .delivered
            }
        }

        /// Drops expired images. With four eyes for erasing, only the retention of a running pipeline does that.
        private func dropImages(in store: Sandbox, _ terms: RetentionTerms, by origin: AccessOrigin, now: Timestamp)
            async throws
        {
            let isForTwo = try await store.decisions.fourEyes().contains { $0.action == .erase }
            while !isForTwo, try await store.upkeep.dropImages(terms, by: origin, now: now) > 0 {}
            if try await store.upkeep.recordClock(.now, isConfirmed: true).doubted != nil { Console.warn(.eraseClock) }
        }

        /// The cards given by their ids or by their business number, each once.
        private func named(in store: Sandbox) async throws -> [CardID] {
            var named = try await store.listings.ids(matching: self.cards)
            if let businessNo {
                var filter = CardFilter()
                filter.number = BusinessNumber(stored: businessNo.trimmed)
                let found = try await store.cardIDs(filter)
                guard !found.isEmpty else { throw CodedError.notFound(.eraseUnknownNumber(businessNo)) }
                named += found
            }
            var seen: Set<CardID> = []
            return named.filter { seen.insert($0).inserted }
        }

        private func isConfirmed(_ named: [CardID], _ expired: [(card: CardID, since: Timestamp)]) -> Bool {
            let count = Set(named + expired.map(\.card)).count
            guard !self.yes, count > 0 else { return true }
            let oldest = expired.map(\.since).min()
            Console.say(oldest.map { .eraseConfirmExpired(count, expired.count, oldest: $0) } ?? .eraseConfirm(count))
            return readLine() == "yes"
        }
    }
}

extension Sandbox {
    /// Erases the documents of all erased cards in the built-in backend, whose folder lies on this machine.
    ///
    /// - Returns: whether the backend holds none of them: a running one keeps them until its process ends.
    @discardableResult
    func eraseEmbeddedDocuments(in folder: String) async throws -> Bool {
        guard self.kind == .embedded else { return true }
        let documents = try await self.upkeep.erasedDocuments()
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
    /// The certificate for people: what is erased, and which copies remain elsewhere.
    var lines: [Message] {
        let verifier: Message? =
            switch self.verifier {
            case .notSent: nil
            case .refused: .eraseVerifierRefused
            case .mayHold: .eraseVerifierMayHold
            case .holds: .eraseVerifierHolds
            }
        let backend: Message? =
            switch self.backend {
            case .notSent: nil
            case .refused: .eraseBackendRefused(self.deliveries)
            case .mayHold: .eraseBackendMayHold(self.deliveries)
            case .holds: .eraseBackendHolds(self.deliveries)
            }
        let details: [Message?] = [
            self.sourceFileCount > 0 ? .eraseSources(self.sourceFileCount) : nil,
            self.exportCount > 0 ? .eraseExports(self.exportCount) : nil,
            .eraseBackups, verifier, backend, self.isScrubbed ? nil : .eraseUnfinished,
        ]
        return [.textVerbatim("\(self.card)  erased  \(self.erasedAt)  \(self.reason)")]
            + details.compactMap { $0?.indented }
    }
}
