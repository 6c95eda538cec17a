/// An image whose host has a place for it; whoever fetches it tells the queue how that ended.
struct HostedFetch: Sendable {
    /// What is fetched.
    let job: FetchJob
    /// The host, as the queue knows it.
    let host: String
    /// Its place at the host.
    let call: PacedCall
}
