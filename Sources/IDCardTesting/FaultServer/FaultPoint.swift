/// A place in what the fault server receives, at which something happens.
package enum FaultPoint: Hashable, Sendable {
    /// When so many bytes of the connection have come, counted from its first: request lines, headers, boundaries,
    /// bodies. The bytes of a TLS connection are counted as plain text.
    case connectionByte(Int)
    /// When so many bytes of the body have come; 0 is the end of the headers.
    case bodyByte(Int)
    /// When the request is complete.
    case requestEnd
}
