package import Foundation
package import IDCardCore

/// What the engine needs of the place where cards live before their images are decoded; part of every `CardStore`.
package protocol ReceptionStore: SourceSpooling, SourceRunStore {
    // MARK: Receiving

    /// Makes a card durable with its source bytes, or with the address they are fetched from; in the same change its
    /// receipt is written down, unless its card cannot take over what the sender says (`Card.says(_:)`): only who was
    /// told yes is told yes again.
    ///
    /// The same bytes under the same business number answer with the card that is there, which takes over what the
    /// sender says, as `CardStore.update` does. A receipt that was written down before answers with its card (be it a
    /// tombstone), or with `nameReused` if its request was another one; then nothing is changed. The card gets the
    /// place in the intake order that is named, or the next one. Two cards that name the same address are two cards
    /// until their bytes are known, unless the reception names the place: then the card known from there is the answer,
    /// be it a tombstone; one that was rejected is not, as something else may be there by now.
    ///
    /// - Parameter id: the new card's identifier.
    func receive(_ reception: Reception, as id: CardID, now: Timestamp) async throws -> ReceptionOutcome
    /// Returns the card that a receipt led to, and `nil` if there is no receipt of that scope and name.
    ///
    /// Asked before a body is read twice: it spares the spool.
    func outcome(of receipt: Receipt) async throws -> ReceptionOutcome?
    /// Forgets receipts written down before a time, and returns how many.
    func forgetReceipts(before time: Timestamp) async throws -> Int
    /// Counts the cards that the pipeline still moves, up to `limit`; `verified` ones that wait for a person
    /// (`ReasonCode.askingAPerson`) or for another photo (`ReasonCode.awaitingPhotos`) are none of them, else they would
    /// keep out the very photos that free them.
    func queueDepth(upTo limit: Int) async throws -> Int
    /// Counts the cards that wait for a person, `held` or `verified` ones, up to `limit`.
    func waitingDepth(upTo limit: Int) async throws -> Int

    // MARK: Preparing

    /// Leases up to `limit` due `received` cards: highest priority first, then intake order.
    func claimReceived(limit: Int, until expiry: Timestamp, now: Timestamp) async throws -> [Card]
    /// Returns up to 1 MiB of what has arrived of a card's source bytes at an offset, and none where nothing has arrived;
    /// the pieces of a `received` card follow each other without a gap.
    ///
    /// - Throws: `StoreError.corrupt`, about this card alone, if a piece does not open, or if a `received` card has a gap.
    func source(of card: CardID, at offset: Int) async throws -> Data
    /// Concludes the preparation of a leased `received` card, and gives the lease back.
    ///
    /// - Parameter claimed: the card as it was claimed; one that stands otherwise by now is a `conflict`.
    func concludePreparing(_ claimed: Card, as conclusion: PreparationConclusion, now: Timestamp) async throws -> Card
    /// Returns when the next unleased card in a state (`fetching`, `received`) is due; `nil` if there is none.
    func nextDue(in state: CardState) async throws -> Timestamp?

    // MARK: Fetching

    /// Leases up to `limit` due `fetching` cards, with what has arrived of them; pieces of a version without a validator
    /// are dropped, as nobody could say whether what comes belongs to them.
    func claimFetching(limit: Int, until expiry: Timestamp, now: Timestamp) async throws -> [FetchJob]
    /// Keeps a piece of a leased `fetching` card; durable when it returns.
    ///
    /// Pieces never overlap: what a new one covers, even in part, is dropped.
    ///
    /// - Parameters:
    ///   - bytes: the bytes at `offset`, at most 1 MiB.
    ///   - version: what they are a piece of; with another version than the pieces kept (`FetchedVersion.joined(with:)`),
    ///     those are dropped first.
    func keep(_ bytes: Data, at offset: Int, of card: CardID, version: FetchedVersion) async throws
    /// Concludes work on a leased `fetching` card, and gives the lease back.
    ///
    /// A whole image makes it `received`, and its address is forgotten. If the same bytes are there already under its
    /// business number it becomes `superseded` with the reason `duplicate`, the card that is there is the one known from
    /// its place, and takes over what its sender said, unless it came in later. What has arrived of a `failed` one stays, and a retry goes on from there; of a
    /// `rejected` one nothing stays.
    ///
    /// - Parameters:
    ///   - claimed: the card as it was claimed; one that stands otherwise by now is a `conflict`.
    ///   - attempt: what was tried; `nil` if nothing was.
    /// - Throws: `StoreError.corrupt`, about this card alone, if the pieces of an image that is said to be whole leave a
    ///   gap, or are fewer or more than the version says; nothing is changed then.
    func concludeFetching(
        _ claimed: Card,
        as conclusion: FetchConclusion,
        attempt: AttemptRecord?,
        now: Timestamp
    ) async throws -> Card
}
