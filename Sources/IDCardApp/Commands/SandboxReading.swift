import IDCardPipeline
import IDCardSandbox

/// Opens the sandbox, calls a function, closes it, and turns errors into words and an exit status.
struct SandboxReading {
    let options: GlobalOptions
    /// Whether it is opened for looking only; else it can be changed, and what is revealed can be written down.
    var isReadOnly = true

    /// Calls a function with the sandbox.
    func with(_ body: (SandboxStore) async throws -> CommandStatus) async throws {
        try await self.with { store, _ in try await body(store) }
    }

    /// Calls a function with the sandbox and the configuration.
    func with(_ body: (SandboxStore, AppConfiguration) async throws -> CommandStatus) async throws {
        let status: CommandStatus
        do {
            let configuration = try self.options.loadConfiguration(requiringRemotes: false)
            let store = try await SandboxOpening(configuration: configuration)
                .open(endpoints: configuration.embedded ? .embedded : nil, isReadOnly: self.isReadOnly)
            let result: Result<CommandStatus, any Error>
            do {
                result = .success(try await body(store, configuration))
            } catch {
                result = .failure(error)
            }
            try await store.close()
            status = try result.get()
        } catch {
            status = CommandFailure(error).report()
        }
        let final = Console.finish() ?? status
        if final != .delivered { throw final.exitCode }
    }

    /// Opens the sandbox for changes, calls a function, and closes it; errors are for the caller of `with`.
    func change(_ body: (SandboxStore) async throws -> Void) async throws {
        let configuration = try self.options.loadConfiguration(requiringRemotes: false)
        let store = try await SandboxOpening(configuration: configuration)
            .open(endpoints: configuration.embedded ? .embedded : nil)
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(store))
        } catch {
            result = .failure(error)
        }
        try await store.close()
        try result.get()
    }
}
