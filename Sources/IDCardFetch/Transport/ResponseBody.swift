import NIOCore
import NIOHTTP1

/// The body of an answer, pulled piece by piece: what is not asked for stays in the network.
struct ResponseBody {
    /// The connection ended in the middle.
    struct Truncated: Error {}

    /// The address that answers.
    let address: IPAddress
    private var parts: NIOAsyncChannelInboundStream<HTTPClientResponsePart>.AsyncIterator

    /// Reads what follows a head.
    init(_ parts: NIOAsyncChannelInboundStream<HTTPClientResponsePart>.AsyncIterator, from address: IPAddress) {
        self.parts = parts
        self.address = address
    }

    /// Returns the next bytes; `nil` at the end that the server announced.
    mutating func next() async throws -> ByteBuffer? {
        switch try await self.parts.next(isolation: #isolation) {
        case .body(let bytes): return bytes
        case .end: return nil
        case .head, nil: throw Truncated()
        }
    }
}
