/// Told to a connection when the body of its request is about to be read: a client that waits is sent 100 (RFC 9110
/// section 10.1.1).
struct ContinueSignal: Sendable {}
