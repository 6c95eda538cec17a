/// How long the fault server keeps a connection, whatever its scripts say: the keep-alive race from both sides.
package enum ConnectionLife: Hashable, Sendable {
    /// As long as the client does.
    case unlimited
    /// Ends it exactly when the first byte of the next request comes after so many replies: the client has used a
    /// connection that was open a moment before.
    case endsAtNextRequest(afterReplies: Int, by: FaultScript.Ending = .reset)
    /// Closes it while idle, so many milliseconds after so many replies, and goes on accepting new ones.
    case closesIdle(afterReplies: Int, idleMilliseconds: Int = 0)
}
