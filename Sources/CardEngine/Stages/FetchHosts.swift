import CardModel
import CardStore
import Synchronization

/// The hosts that images are fetched from, each with a gate of its own, so that a slow one holds up none of the others.
final class FetchHosts: Sendable {
    private let context: EngineContext
    /// By name and port.
    private let gates = Mutex<[String: EndpointGate]>([:])

    init(context: EngineContext) { self.context = context }

    /// The gates of the hosts that are remembered.
    var known: [EndpointGate] { self.gates.withLock { Array($0.values) } }

    func gate(of host: String) async throws -> EndpointGate {
        if let known = self.gates.withLock({ $0[host] }) { return known }
        var pace = EngineSettings.Pace()
        pace.concurrency = Limits.fetchesPerHost
        let gate = EndpointGate(.fetch, of: host, pace: pace, context: self.context)
        gate.restore(from: try await self.context.store.pauses())
        return self.gates.withLock { gates in
            if let known = gates[host] { return known }
            // Idle hosts are forgotten when there are many: what they asked for stands in the sandbox.
            if gates.count >= Limits.rememberedHosts { gates = gates.filter { $0.value.isUnderWay } }
            gates[host] = gate
            return gate
        }
    }
}
