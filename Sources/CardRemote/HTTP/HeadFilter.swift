import NIOCore
import NIOHTTP1

/// Corrects the heads of answers before all other handlers, because async-http-client misreads some.
///
/// - A status below 100 is not HTTP (RFC 9110 section 15): the client reads such a head as an interim one, and traps at the
///   following body. The request fails instead.
/// - The client inflates according to `Content-Encoding`, but servers also send `aws-chunked`, `utf-8` or `none`. The filter
///   recognises gzip and deflate by the first bytes.
final class HeadFilter: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart

    /// The content of the answers.
    enum Kind {
        /// Images; a host may compress them without a header.
        case images
        /// Texts; an unknown coding stays in the head, for messages.
        case texts
    }

    private static let coding = "Content-Encoding"

    private let kind: Kind
    /// A head that is withheld until the first bytes of its body arrive.
    private var head: HTTPResponseHead?
    private var first = ByteBuffer()
    private var hasFailed = false
    /// Interim heads since the last answer: a host that sends them without end would keep its connection alive.
    private var interim = 0

    init(_ kind: Kind) { self.kind = kind }

    /// Adds a filter to the pipeline of a connection, before its first request.
    static func add(to channel: any Channel, for kind: Kind) throws {
        let pipeline = channel.pipeline.syncOperations
        let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
        try pipeline.addHandler(HeadFilter(kind), position: .after(decoder))
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !self.hasFailed else { return }
        switch self.unwrapInboundIn(data) {
        case .head(let head) where head.status.code < 100 || self.isFlood(head):
            self.hasFailed = true
            context.fireErrorCaught(HTTPParserError.invalidStatus)
        case .head(let head):
            self.head = head
            // A range of an image may begin with the same bytes by chance. A text without the header does not wait: the body of
            // an early refusal may never come.
            let isDecided = self.kind == .images ? head.status != .ok : !head.headers.contains(name: Self.coding)
            if isDecided { self.pass(context) }
        case .body(var part) where self.head != nil:
            self.first.writeBuffer(&part)
            if self.first.readableBytes >= 2 { self.pass(context) }
        case .body: context.fireChannelRead(data)
        case .end:
            self.pass(context)
            context.fireChannelRead(data)
        }
    }

    private func isFlood(_ head: HTTPResponseHead) -> Bool {
        self.interim = head.status.code < 200 ? self.interim + 1 : 0
        return self.interim > Limits.interimAnswers
    }

    private func begins(with bytes: [UInt8]) -> Bool { self.first.readableBytesView.starts(with: bytes) }

    private func pass(_ context: ChannelHandlerContext) {
        guard var head = self.head else { return }
        self.head = nil
        let labels = head.headers[canonicalForm: Self.coding].map { $0.lowercased() }
        head.headers.remove(name: Self.coding)
        let (isGzip, isDeflate) = (self.begins(with: [0x1F, 0x8B]), labels == ["deflate"] && self.begins(with: [0x78]))
        if isGzip || isDeflate {
            head.headers.add(name: Self.coding, value: isGzip ? "gzip" : "deflate")
        } else if self.kind == .texts, !labels.contains("gzip"), !labels.contains("deflate") {
            for label in labels { head.headers.add(name: Self.coding, value: label) }
        }
        context.fireChannelRead(self.wrapInboundOut(.head(head)))
        guard self.first.readableBytes > 0 else { return }
        context.fireChannelRead(self.wrapInboundOut(.body(self.first)))
        self.first = ByteBuffer()
    }
}
