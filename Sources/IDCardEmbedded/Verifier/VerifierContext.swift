import Hummingbird
import NIOCore

/// A request's context that knows its connection.
struct VerifierContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The connection the request came by.
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        self.coreContext = .init(source: source)
        self.channel = source.channel
    }
}
