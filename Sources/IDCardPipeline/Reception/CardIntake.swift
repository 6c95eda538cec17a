/// Takes cards in while a pipeline runs as a service; what the watched folder, the server and runs on demand work with.
package protocol CardIntake: Sendable {
    /// Announces a list of inputs before the first of them is taken in, in place of what former looks through the same
    /// sources found, so that fronts go before their backs however they stand in it. Each is still to be taken in, and
    /// what came of it to be noted.
    ///
    /// - Throws: `StoreError` if the store fails.
    func announce(_ items: IntakeList) async throws -> IntakeAnnouncement
    /// Notes that inputs are to be taken in later, or that they were refused: backs of their business numbers wait.
    ///
    /// - Throws: `StoreError` if the store fails.
    func expect(_ inputs: [AwaitedInput]) async throws
    /// Notes that inputs do not come any more, or were known already.
    ///
    /// - Throws: `StoreError` if the store fails.
    func expectNoMore(_ inputs: [AwaitedInput]) async throws
    /// Notes all inputs that are to be taken in from a source, in place of what was expected there before.
    ///
    /// - Throws: `StoreError` if the store fails.
    func expectAgain(_ inputs: [AwaitedInput], of source: InputSource) async throws
    /// Takes one file in; what the result tells of is durable when it returns.
    ///
    /// - Throws: `StoreError` if the store fails; `CancellationError` if the pipeline is coming to its end, with nothing
    ///   left behind: the same file may be given again.
    func take(_ item: IntakeItem) async throws -> InputResult
    /// Makes a card durable whose image is here, or is to be fetched; the image is decoded later.
    ///
    /// - Throws: `StoreError` if the store fails.
    func receive(_ reception: Reception) async throws -> ReceptionOutcome
    /// Why no image is fetched from an address; `nil` if it may be tried.
    func refusal(of address: ImageAddress) -> ImageFetcher.Refusal?
    /// Whether more may come in just now; cheap enough to be asked before every input.
    func pressure() async -> IntakePressure
}
