/// The variables that give a command a wrong wall clock, by the shim of the proofs.
struct WrongClock {
    private let library: String

    /// Builds the shim into the home of a tool.
    init(for tool: Tool) async throws {
        self.library = try await tool.shim("clock")
    }

    /// A clock that is ahead by so many days, or behind by a negative number.
    func days(_ days: Double) -> [String: String] {
        ["LD_PRELOAD": self.library, "PROOF_CLOCK_OFFSET": "\(Int(days * 86_400))"]
    }
}
