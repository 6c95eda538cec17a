/// What one connection, and all together, may take of time and memory.
package struct ConnectionLimits: Hashable, Sendable {
    /// The most connections at once; those beyond it are answered 503 and closed (`server.max_connections`).
    package var connections = 512
    /// The most connections at once from one address; 0 for no such limit, as behind a proxy
    /// (`server.max_connections_per_address`).
    package var connectionsPerAddress = 0
    /// The most bytes of a head: request line and header fields (`server.header_bytes`).
    package var headBytes = 16_384
    /// The most header fields (`server.header_count`).
    package var headerCount = 100
    /// The most bytes of a request's target.
    package var targetBytes = 4_096
    /// How long a head may take from its first byte, or from the opening of the connection (`server.header_timeout`).
    package var headTime: Duration = .seconds(10)
    /// How long a connection may wait for its next request (`server.idle_timeout`).
    package var idleTime: Duration = .seconds(60)
    /// How long a body may stand still while it is waited for (`server.body_timeout`).
    package var bodyStandstill: Duration = .seconds(15)
    /// How long a body may take whatever its size, before its pace counts (`server.body_grace`).
    package var bodyGrace: Duration = .seconds(10)
    /// The least bytes per second that a body must come with on average; 0 for any (`server.body_rate`). Whatever came
    /// faster buys no more time than ``bodyGrace`` and ``bodyStandstill`` together.
    package var bodyBytesPerSecond = 2_048
    /// How long a client may take to read an answer (`server.write_timeout`).
    package var writeTime: Duration = .seconds(30)
    /// How long what a client still sends is read away after it was refused, so that it can read the refusal.
    package var lingerTime: Duration = .seconds(2)
    /// How many connections beyond the limits are told so at a time; each holds a descriptor meanwhile, those beyond end
    /// without a word.
    package var refusalsUnderWay = 128
    /// The most descriptors that connections hold at once.
    package var descriptors: Int { self.connections + self.refusalsUnderWay }

    /// Sets the defaults.
    package init() {}
}
