package import IDCardCore

/// Which inputs are expected and which were refused: what the rules between front and back need to know, whichever
/// process asks.
///
/// What is expected or refused belongs to the owner who wrote it and to the source in which it was found. It outlives the
/// owner. It ends when the input becomes a card, whoever takes it in.
package protocol AwaitedInputStore: Sendable {
    /// Writes down, in one change, what a look through some sources found.
    ///
    /// It takes the place of what was written of these sources before: of all that this owner, or owners that have ended,
    /// wrote, and of what other living owners refused. What other living owners expect stays theirs.
    func announce(_ inputs: [AwaitedInput], foundIn sources: Set<InputSource>, now: Timestamp) async throws
    /// Writes down inputs in addition to what is known of their sources; one that was expected by this owner and is
    /// refused now is expected no more.
    func add(_ inputs: [AwaitedInput], now: Timestamp) async throws
    /// Ends what is known of some inputs, whoever wrote it. Costs a read, and no write, if nothing is known of them.
    func end(_ inputs: [AwaitedInput]) async throws
    /// Returns whether a card was made, by anybody, of a file that an input names.
    func hasCard(of input: AwaitedInput) async throws -> Bool
    /// Returns whether anything is expected or refused, by anybody.
    func awaitsInputs() async throws -> Bool
    /// Returns whether anything that was found in some sources is expected or refused, by anybody.
    func awaitsInputs(of sources: Set<InputSource>) async throws -> Bool
    /// Notes that this owner lives; what it expects and refused counts from now on. Costs no write if that is nothing.
    func keepAwaiting(now: Timestamp) async throws
    /// Returns the business numbers whose `verified` cards wait while inputs of theirs are expected or were refused.
    func applicationsAwaitingInputs() async throws -> [BusinessNumber]
}
