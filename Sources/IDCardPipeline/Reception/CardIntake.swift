/// Takes cards in while a pipeline runs as a service; what the watched folder, the server and runs on demand work with.
package protocol CardIntake: Sendable {
    /// Announces a list of inputs before the first of them is taken in, so that within it fronts go before their backs
    /// however they stand in it. Each is still to be taken in, and what came of it to be noted.
    func expect(_ items: IntakeList) -> IntakeAnnouncement
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
