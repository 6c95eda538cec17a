package import IDCardCore

/// What the engine needs of the place where cards live; SQLite today, an in-memory double in tests, a server later.
///
/// An open store belongs to one owner (a process, or one engine in a test). Every state change is conditional on the expected state and durable
/// when the call returns, together with its events and attempt rows. A change whose expectation fails throws `StoreError.conflict` and
/// changes nothing. Nothing here assumes that only one process uses the store.
package protocol CardStore: ReceptionStore, WatchStore, AwaitedInputStore, Sendable {
    /// Lets changes wait a few milliseconds for others to be committed with, as long as `mayWait` says so; a store in
    /// which nothing ever waits ignores it.
    func gatherCommits(while mayWait: @escaping @Sendable () -> Bool)

    // MARK: Leases

    /// Takes back every lease that has expired by `now` or whose owner is dead, and returns how many there were.
    ///
    /// What a dead owner left under preparation is counted in the same change. Costs a read, and no write, if there is
    /// nothing to take back: it may be called every few seconds.
    func reclaimLeases(now: Timestamp) async throws -> Int
    /// Prolongs all leases of this owner.
    func renewLeases(until expiry: Timestamp) async throws
    /// Hands back all leases of this owner, so that another may claim at once. Attempts begun but not concluded stay without an outcome.
    func releaseLeases() async throws
    /// Returns the business numbers with a card or a delivery that another owner has leased, and those with a `verified`
    /// card and an input that another living owner expects: others are at work there.
    func applicationsLeasedElsewhere() async throws -> Set<BusinessNumber>

    // MARK: Clock

    /// Takes note of the time that the clock says, and returns what is believed of it.
    ///
    /// A clock that was ahead and went back leaves no harm: what is due later than any wait can be is due at once, and
    /// what waits since a time that lies ahead waits since now. Costs no commit if that tells nothing new.
    ///
    /// - Parameter isBelieved: whether a person says that the clock is right, however far ahead it is.
    @discardableResult
    func see(_ now: Timestamp, believing isBelieved: Bool) async throws -> SeenTime

    // MARK: Preparation

    /// Notes that these source bytes are about to be decoded, and returns how often that brought a process down.
    ///
    /// The note costs no commit; it outlives the process, not a power cut.
    func beginPreparing(_ digest: ContentDigest) async throws -> Preparing
    /// Notes that the decoder is done with these bytes; to be called in every case that this process lives to see.
    ///
    /// - Parameter survived: whether the bytes were decoded, or refused, in this process: what was counted against them
    ///   is forgotten then. `false` if they were not tried, or brought down a child.
    func endPreparing(_ preparing: Preparing, survived: Bool) async throws

    // MARK: Room

    /// Returns whether there is room for more work; cheap enough to be asked before every piece of it.
    func space() async -> StoreSpace

    // MARK: Intake

    /// Reserves `count` consecutive places in the intake order and returns the first.
    func reserveIntakeOrders(_ count: Int) async throws -> Int64
    /// Returns the card that this very file (path, inode, size, time) became under this business number, if any; reads no file.
    func cards(ofFiles files: [(file: FileIdentity, businessNumber: BusinessNumber)]) async throws -> [Card?]
    /// Returns the card with these source bytes and this business number, if any.
    ///
    /// Remembers the file, and takes over what the newer sending says, as `update` does.
    func recognise(
        _ digest: ContentDigest,
        metadata: CardMetadata,
        file: FileIdentity?,
        now: Timestamp
    ) async throws -> Card?
    /// Makes a card durable, unless the same bytes are there under its business number; then the card that is there
    /// takes over what the newer sending says, as `update` does.
    func admit(_ admission: Admission, now: Timestamp) async throws -> AdmissionOutcome
    /// Takes over what a newer sending of the same bytes says, and returns the card.
    ///
    /// A `rejected` or `verified` card that has an image and whose verdict may now differ goes back to `prepared`
    /// (attempts and next time reset; reason, message, side, holder and delivery cleared), to be judged again from the
    /// kept reading; so does a `superseded` one that no newer photo replaces any more, whatever the metadata. A card leased
    /// right now keeps its state. Once a card is in a delivery, ended or left to a person,
    /// it is returned unchanged.
    func update(_ card: CardID, with metadata: CardMetadata, now: Timestamp) async throws -> Card

    // MARK: Verification

    /// Leases up to `limit` due `prepared` cards: highest priority first, then intake order, or as a probe wants it.
    func claimPrepared(limit: Int, order: ClaimOrder, until expiry: Timestamp, now: Timestamp) async throws -> [Card]
    /// Returns the prepared JPEG of a card.
    func preparedImage(of card: CardID) async throws -> PreparedImage
    /// Returns an earlier reading of the same bytes by the same provider, if one is kept.
    func reading(for key: ReadingKey) async throws -> CardReading?
    /// Concludes work on a leased `prepared` card, and gives the lease back.
    ///
    /// A judgement holds for the metadata that the card had when it was claimed. If its sender has said something else
    /// since, nothing is changed: the card is returned as it is, still leased, to be judged by that.
    ///
    /// - Parameters:
    ///   - claimed: the card as it was claimed. If it does not stand so any more, the lease was taken back and the card
    ///     claimed anew since, be it by the same owner: that is a `conflict`.
    ///   - attempt: how the call ended; `nil` if none was made (a kept reading).
    func conclude(
        _ claimed: Card,
        as conclusion: VerificationConclusion,
        attempt: AttemptRecord?,
        now: Timestamp
    ) async throws -> Card

    // MARK: Applications

    /// Returns the business numbers that have a `verified` card.
    func applicationsWithVerifiedCards() async throws -> [BusinessNumber]
    /// Returns the business numbers with a `verified` card that may have to be decided on again: it is not blocked
    /// (`ReasonCode.blocking`), or a card of the number has changed since a mark; with them the next mark. Without a mark
    /// it returns all that have a `verified` card.
    func applications(changedSince mark: Int64?) async throws -> (numbers: [BusinessNumber], mark: Int64)
    /// Whether a card of a business number is still to be verified.
    func awaitsVerification(_ businessNumber: BusinessNumber) async throws -> Bool
    /// Returns the cards of a business number as its rules see them; tombstones and superseded ones are left out.
    func snapshot(of businessNumber: BusinessNumber) async throws -> ApplicationSnapshot
    /// Applies a change if all its applications still look as in `basis`; if one does not, nothing is changed.
    ///
    /// - Returns: every card that the change names, as it is now; `nil` if nothing was changed.
    func apply(
        _ change: ApplicationChange,
        basis: [ApplicationSnapshot],
        now: Timestamp
    ) async throws -> [CardID: Card]?

    // MARK: Delivery

    /// Leases up to `limit` due deliveries: highest priority of a member first, then in the order they were formed, or as
    /// a probe wants it.
    func claimDeliveries(
        limit: Int,
        order: ClaimOrder,
        until expiry: Timestamp,
        now: Timestamp
    ) async throws -> [Delivery]
    /// Writes down, before the first byte is sent, that an attempt begins; an attempt that is still open ends as `unknown` (interrupted).
    ///
    /// - Parameter last: the last attempt there was when the delivery was claimed (`Delivery.lastAttempt`). Another one
    ///   since says that the lease was taken back and claimed anew, be it by the same owner: that is a `conflict`.
    /// - Returns: the number of the attempt, which concludes it.
    func beginAttempt(of delivery: DeliveryID, after last: Int, now: Timestamp) async throws -> Int
    /// Puts a leased delivery off without an attempt, and gives the lease back; what earlier attempts may have done stays
    /// known.
    ///
    /// - Parameter last: the last attempt there was when the delivery was claimed; another one since is a `conflict`.
    func postpone(_ delivery: DeliveryID, after last: Int, until time: Timestamp) async throws
    /// Concludes the open attempt of a leased delivery and moves its members; gives the lease back. Returns the members.
    ///
    /// - Parameter number: the number of the attempt as `beginAttempt` returned it, or without one the last attempt there
    ///   was when the delivery was claimed. What is late, because another attempt has begun since, is a `conflict`.
    func conclude(
        _ delivery: DeliveryID,
        as conclusion: DeliveryConclusion,
        attempt: AttemptRecord,
        number: Int,
        now: Timestamp
    ) async throws -> [Card]

    // MARK: Endpoints

    /// Returns how the calls about some cards have gone at the endpoint of a stage.
    ///
    /// What a call came to is noted as it is concluded. A later time than `now` is not believed: the clock was wrong then.
    func standing(of cards: [CardID], at stage: Stage, now: Timestamp) async throws -> CallStanding

    /// Returns the business numbers of which the backend refused a card with a code since it last took a delivery.
    func numbersRefused(with code: String, now: Timestamp) async throws -> Set<BusinessNumber>
    /// Makes the cards `verified` again that became `rejected` with a code since the backend last took a delivery, if it
    /// refused so many business numbers with it, and returns them; not those that the backend may hold.
    ///
    /// - Parameter code: the code; `nil` for every code.
    func giveBackRefused(with code: String?, atLeast limit: Int, now: Timestamp) async throws -> [Card]

    // MARK: Looking

    /// Returns the personal values of some cards that no message may repeat: what was read from them, and what their
    /// sender expects. What does not open is left out.
    func confidential(of cards: [CardID]) async throws -> [Redacted<String>]
    /// Returns a card, if there is one of this name.
    func card(_ id: CardID) async throws -> Card?
    /// Returns everything about a card, if there is one of this name.
    func details(of id: CardID) async throws -> CardDetails?
    /// Lists cards by intake order.
    func cards(matching query: CardQuery) async throws -> [Card]
    /// Counts the cards in every state; states without cards are missing.
    func stateCounts() async throws -> [CardState: Int]
    /// Returns when the next unleased piece of work of a stage is due (`verify`, `deliver`); `nil` if it has none.
    func nextDue(for stage: Stage) async throws -> Timestamp?

    // MARK: Accountability

    /// Writes down that personal data is about to be revealed; durable when it returns, so nothing may be revealed
    /// before.
    ///
    /// What the engine reveals is written down by the calls that begin or conclude it: one line `deliver` for every
    /// member of a delivery as its attempt begins, one line `verify` as a call that reached the service is concluded, or
    /// as the lease of a `prepared` card ends otherwise.
    ///
    /// - Throws: `StoreError.notFound` if there is no card of this name.
    func record(_ action: AccessAction, of card: CardID?, by origin: AccessOrigin, now: Timestamp) async throws
    /// Lists the lines of the access log after a number, oldest first: of one card, or with `nil` all.
    func accessLog(of card: CardID?, after number: Int64, limit: Int) async throws -> [AccessLine]

    // MARK: Operators

    /// Erases cards: all that is personal is gone when it returns, and a tombstone without any stays.
    ///
    /// Erasing wins over everything: a card that is being worked on is taken out of the hands of whoever leases it, whose
    /// later conclusion gets `conflict`; an open or kept delivery of it is closed for good, and its other members become
    /// `held` (`outcome_unknown`) if the backend may hold it, else `verified`. A card erased before answers with its
    /// certificate. Every erasure leaves its certificate where a restored backup does not undo it.
    ///
    /// Whether bytes of it are left somewhere in the store is found out at once where that is quick, else by
    /// `continueErasures`; with a `retention`, where many follow each other, always by that.
    ///
    /// With a `retention` only cards that have been in their state for longer than its limit are erased, asked anew when
    /// each is erased: one that has come back to life since it was listed stays, and has no certificate.
    ///
    /// - Throws: `StoreError.notFound` if there is no card of one of the names; then none is erased.
    func erase(
        _ cards: [CardID],
        under retention: Retention?,
        reason: ReasonCode,
        by origin: AccessOrigin,
        now: Timestamp
    ) async throws -> [ErasureCertificate]
    /// Goes on with erasures that are not finished: looks for what they may have left, from where the search stopped last.
    ///
    /// - Parameter time: how long to search before the rest is left to the next call; `nil` for to the end.
    func continueErasures(within time: Duration?) async throws -> ErasureProgress
    /// Returns up to `limit` cards that have been in their state for longer than its retention, oldest first.
    func expired(under retention: Retention, limit: Int, now: Timestamp) async throws -> [CardID]
    /// Has a `rejected`, `failed`, `held` or `superseded` card judged again, or a `delivering` one whose stage is stopped:
    /// it becomes `prepared` without failed attempts; one without
    /// an image becomes `received` if its source bytes are all there, `fetching` if they are still to be fetched. A card
    /// that waits for its next attempt keeps its state and attempts, and is due at once.
    ///
    /// - Throws: `StoreError.conflict` if `OperatorRules` forbid it, `notFound` if there is no card of this name.
    func retry(_ card: CardID, by origin: AccessOrigin, now: Timestamp) async throws -> Card
    /// Carries out what a person decided about a `held` card, or a `delivering` one whose stage is stopped, and returns the cards that changed.
    ///
    /// - Throws: `StoreError.conflict` if `OperatorRules` forbid it, `notFound` if there is no card of this name.
    func resolve(
        _ card: CardID,
        as resolution: Resolution,
        by origin: AccessOrigin,
        now: Timestamp
    ) async throws -> [Card]

    // MARK: Pauses

    /// Writes down that a stage stopped in this process, or with `nil` that it works: then the pauses that processes left
    /// behind which are gone are over, too, but not those of others.
    func setPause(_ pause: StagePause?, of stage: Stage) async throws
    /// Returns the stages of which this process, or one that is gone, has left a pause behind.
    func pausesLeftBehind() async throws -> Set<Stage>
    /// Returns how every stage stands, stopped or not.
    func standings() async throws -> [Stage: StageStanding]
    /// Returns the stages that stopped.
    func pauses() async throws -> [Stage: StagePause]
    /// Writes down until when a host asked to be left alone, for every process; an earlier time than is known changes
    /// nothing.
    func setWait(until time: Timestamp, of host: String, now: Timestamp) async throws
    /// Returns until when hosts asked to be left alone. No wait is longer than `longest`: what lies further ahead was written
    /// by a clock that was wrong, and is shortened for good.
    func waits(longest: Duration, now: Timestamp) async throws -> [String: Timestamp]
}

extension CardStore {
    /// Finishes erasures that are not finished, and returns how many could not be.
    package func finishErasures() async throws -> Int {
        try await self.continueErasures(within: nil).open
    }

    /// Erases cards whatever their age; see `erase(_:under:reason:by:now:)`.
    ///
    /// - Throws: `StoreError.notFound` if there is no card of one of the names; then none is erased.
    package func erase(
        _ cards: [CardID],
        reason: ReasonCode,
        by origin: AccessOrigin,
        now: Timestamp
    ) async throws -> [ErasureCertificate] {
        try await self.erase(cards, under: nil, reason: reason, by: origin, now: now)
    }

    /// Leases up to `limit` due `prepared` cards in the usual order.
    package func claimPrepared(limit: Int, until expiry: Timestamp, now: Timestamp) async throws -> [Card] {
        try await self.claimPrepared(limit: limit, order: .usual, until: expiry, now: now)
    }

    /// Leases up to `limit` due deliveries in the usual order.
    package func claimDeliveries(limit: Int, until expiry: Timestamp, now: Timestamp) async throws -> [Delivery] {
        try await self.claimDeliveries(limit: limit, order: .usual, until: expiry, now: now)
    }

    /// Returns the card, be it a tombstone, that a file became under a business number.
    package func card(ofFile file: FileIdentity, businessNumber: BusinessNumber) async throws -> Card? {
        try await self.cards(ofFiles: [(file, businessNumber)]).first ?? nil
    }

    /// Applies a change to the cards of one business number.
    package func apply(
        _ change: ApplicationChange,
        basis: ApplicationSnapshot,
        now: Timestamp
    ) async throws -> [CardID: Card]? {
        try await self.apply(change, basis: [basis], now: now)
    }
}
