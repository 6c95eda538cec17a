import IDCardPipeline

extension CardIntake {
    /// Goes on if more may come in.
    ///
    /// - Throws: ``Problem``: `queue_full`, `disk_space_low`, `shutting_down`, `intake_closed`.
    func requireOpen() async throws {
        guard case .closed(let reason, let message, let retryAfter) = await self.pressure() else { return }
        var problem = Problem(reason, message: message, retryAfter: retryAfter)
        problem.endsConnection = true
        throw problem
    }
}
