import ArgumentParser
import CardModel
import CardStore

extension CardsCommand {
    struct Retry: Command {
        static let configuration = CommandConfiguration(
            abstract: "Retry rejected, failed or held cards in the next run.",
            discussion: """
                A rejected card is judged again by its stored reading; one without scores of legality is verified anew. A failed card gets all its attempts again. A superseded \
                card, named by its id, is judged again unless a newer photo of its side was or may be delivered. A card that \
                waits for its next attempt, named by its id, continues at once. The retry is refused if a newer photo of the \
                side was delivered, if a person rejected the card, or if the backend may hold it (see cards resolve).

                Exit status: 0 done, or waiting for a second person (review.four_eyes) · 1 some card was refused · 64 usage · 66 there is no such card · 74 sandbox.
                """
        )

        @Argument(help: ArgumentHelp("The ids of cards, or their last 8 digits or more.", valueName: "card-id"))
        var cards: [String] = []

        @Option(help: "All cards in this state (rejected, failed, held); repeatable.")
        var state: [CardState] = []

        @Option(help: "All rejected, failed or held cards with this reason, such as a RETCODE; --state limits them.")
        var reason: String?

        @OptionGroup var change: ChangeOptions

        func validate() throws {
            guard !self.cards.isEmpty || !self.state.isEmpty || self.reason != nil else {
                throw ValidationError(.cardsNoneNamed)
            }
            guard self.reason?.isEmpty != true else { throw ValidationError(.cardsReasonEmpty) }
            guard Set(self.state).isSubset(of: [.rejected, .failed, .held]) else {
                throw ValidationError(.cardsRetryState)
            }
        }

        func execute() async throws -> CommandStatus {
            try await self.change.make(as: "cards retry") { store in
                var ids = try await store.listings.ids(matching: self.cards)
                if !self.state.isEmpty || self.reason != nil {
                    var filter = CardFilter()
                    filter.states = self.state.isEmpty ? [.rejected, .failed, .held] : self.state
                    filter.reason = self.reason
                    ids += try await store.cardIDs(filter)
                }
                if ids.isEmpty { Console.say(.cardsNoMatch) }
                return ids
            }
        }
    }

    struct Resolve: Command {
        static let configuration = CommandConfiguration(
            abstract: "Decide about cards that need a person.",
            discussion: """
                accept: deliver the card, because it is good; if a rule between front and back held both sides, both; a card \
                accepted twice, or without its front, is delivered alone; of a photo that was returned: take the return back. retake: return the photo to its submitter, who sees --reason. \
                reject: never deliver the card; if no other photo of its side is there, this ends the case, and later photos wait \
                for a person. holder: the person on this front is the customer; fronts of others are rejected, and the rest continue. \
                delivered: the backend holds the document. resend: send the same delivery again, byte for byte and with the same \
                key; this includes every held card in it. anew: the backend lacks the document; send it under another key. \
                seen: leave the card as it is; until its state changes it no longer counts in status, cards list --attention and \
                exit statuses. withdraw: take back your decision that waits for a second person (review.four_eyes). disagree: end \
                another person's decision that waits for you.

                Exit status: 0 done, or waiting for a second person · 1 some decision was refused · 64 usage · 66 there is no such card · 74 sandbox.
                """
        )

        @Argument(help: ArgumentHelp("The ids of cards, or their last 8 digits or more.", valueName: "card-id"))
        var cards: [String]

        @OptionGroup var resolution: ResolutionOptions

        @Option(help: ArgumentHelp("Why the photo is returned, with --as retake.", valueName: "code"))
        var reason: RetakeReason?

        @OptionGroup var change: ChangeOptions

        func validate() throws { try self.resolution.validate(self.reason) }

        func execute() async throws -> CommandStatus {
            try await self.change.make(self.resolution, because: self.reason, as: "cards resolve") {
                try await $0.listings.ids(matching: self.cards)
            }
        }
    }
}

/// What `cards resolve` and `cases resolve` decide.
struct ResolutionOptions: ParsableArguments {
    @Option(
        name: .customLong("as"),
        help: "The decision: accept, retake, reject, holder, delivered, resend, anew, seen, withdraw or disagree."
    )
    var resolution: Resolution

    @Option(
        help: ArgumentHelp("Words for other reviewers, at most 500 characters; stored encrypted.", valueName: "text")
    )
    var message: String?

    var text: Redacted<String>? { self.message.map { Redacted(String($0.prefix(500))) } }

    func validate(_ reason: RetakeReason?) throws {
        guard (self.resolution == .retake) == (reason != nil) else {
            throw ValidationError(.cardsRetakeReason(RetakeReason.allCases))
        }
    }
}

extension RetakeReason: ExpressibleByArgument {}

/// The options of the commands that change cards, and the work that these commands share.
struct ChangeOptions: ParsableArguments {
    @OptionGroup var purpose: PurposeOptions

    @Option(help: "Format of the list of changed cards.")
    var format = OutputFormat.text

    @OptionGroup var options: GlobalOptions

    /// Retries cards, or carries out a resolution of them.
    func make(
        _ resolved: ResolutionOptions? = nil,
        because reason: RetakeReason? = nil,
        as command: String,
        _ cards: (Sandbox) async throws -> [CardID]
    ) async throws -> CommandStatus {
        let origin = try self.purpose.origin(of: command + (resolved.map { " --as \($0.resolution.rawValue)" } ?? ""))
        return try await self.options.withSandbox { store, configuration in
            try await configuration.requireSecond(for: configuration.fourEyesOfFile, in: store, by: origin)
            return try await self.change(try await cards(store), in: store) { id in
                guard let resolved else { return try await store.decisions.decide(id, .retry, by: origin, now: .now) }
                return try await store.decisions.resolve(
                    id,
                    as: resolved.resolution,
                    because: reason,
                    saying: resolved.text,
                    by: origin,
                    now: .now
                )
            }
        }
    }

    /// Changes one card after another, prints the result of each at once, and reports refusals.
    private func change(
        _ ids: [CardID],
        in store: Sandbox,
        _ change: (CardID) async throws -> DecisionOutcome
    ) async throws -> CommandStatus {
        let known = Set(try await store.listings.status(of: ids).map(\.card))
        let unknown = ids.filter { !known.contains($0) }
        guard unknown.isEmpty else { throw CodedError.notFound(.cardsUnknown(unknown.map(\.rawValue))) }
        var listed: [ListedCard] = []
        var (seen, wasRefused) = (Set<CardID>(), false)
        var failure: (any Error)?
        for id in ids where !seen.contains(id) {
            do {
                let outcome = try await change(id)
                if outcome == .waitsForSecond { Console.say(.cardsWaitsForSecond(id)) }
                if case .undoable(let until) = outcome { Console.say(.cardsUndoable(id, until)) }
                let changed = outcome.changes.map(\.card)
                seen.formUnion(changed)
                let cards = try await store.listed(store.listings.cards(changed, for: .process))
                // Print now: a full disk at a later card must not lose the report of this one.
                for card in cards { await self.format.print(card) }
                listed += cards
            } catch let error as CodedError where error.kind == .conflict {
                wasRefused = true
                Console.error(error.message)
            } catch {
                failure = error
                break
            }
        }
        if self.format == .json { await Console.standardOutput(JSONText.document(["cards": listed])) }
        if let failure { throw failure }
        if listed.contains(where: \.card.state.isRunnable) { Console.say(.cardsContinue) }
        return wasRefused ? .someNotDelivered : .delivered
    }
}

extension Sandbox {
    /// The current card; `nil` if there is none.
    func card(_ id: CardID) async throws -> Card? { try await self.listings.cards([id], for: .process).first }

    /// Cards as lists show them, with the short ids that tables for people have.
    func listed(_ cards: [Card]) async throws -> [ListedCard] {
        let shortIDs = try await self.listings.shortIDs(of: cards.map(\.id))
        return cards.map { ListedCard(card: $0, shortID: shortIDs[$0.id]) }
    }

    /// The ids of all cards that match a filter, in the order of their intake.
    func cardIDs(_ filter: CardFilter) async throws -> [CardID] {
        var ids: [CardID] = []
        try await self.forEachCard(filter) { ids.append($0.id) }
        return ids
    }

    /// Passes on the cards that match a filter, in the order of their intake, page by page: they may be more than fit into
    /// memory.
    func forEachCard(_ filter: CardFilter, limit: Int = .max, _ body: (Card) async throws -> Void) async throws {
        var (order, left) = (Int64(0), limit)
        while left > 0 {
            let page = try await self.listings.cards(
                filter,
                after: order,
                limit: min(left, Limits.pageSize),
                for: .process
            )
            for card in page { try await body(card) }
            guard let last = page.last else { return }
            (order, left) = (last.order, left - page.count)
        }
    }
}
