import NIOCore
import NIOHTTP1

/// Corrects the heads of answers before other handlers see them, because async-http-client misreads some heads.
///
/// - A status below 100 is not HTTP (RFC 9110 section 15): the client takes such a head for an interim one, and traps at the body
///   that follows. The filter fails the request instead.
/// - The client decompresses according to `Content-Encoding`, in which servers also send `aws-chunked`, `utf-8` or `none`. The
///   filter sets this header by the first bytes of the body.
final class HeadFilter: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart

    /// The expected content of the answers.
    enum Kind {
        /// Images, which a host may compress without a header.
        case images
        /// Texts; the filter leaves an unknown coding in the head, so that a message can name it.
        case texts
    }

    private static let coding = "Content-Encoding"

    private let kind: Kind
    /// A head that is withheld until the first bytes of its body arrive.
    private var head: HTTPResponseHead?
    private var first = ByteBuffer()
    private var hasFailed = false
    /// The interim heads since the last answer; limited, since a host that sends them without end would keep its connection alive.
    private var interimCount = 0

    init(_ kind: Kind) { self.kind = kind }

    /// Adds a filter to the pipeline of a connection, before its first request.
    static func add(to channel: any Channel, for kind: Kind) throws {
        let pipeline = channel.pipeline.syncOperations
        let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
        try pipeline.addHandler(HeadFilter(kind), position: .after(decoder))
    }

    /// Withholds a head until the first bytes of the body show the coding, if it depends on them.
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !self.hasFailed else { return }
        switch self.unwrapInboundIn(data) {
        case .head(let head) where head.status.code < 100 || self.isFlood(head):
            self.hasFailed = true
            context.fireErrorCaught(HTTPParserError.invalidStatus)
        case .head(let head):
            self.head = head
            // Not withheld: a range of an image, which may begin like gzip by chance; and a text without the header, since the
            // body of an early refusal may never come.
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

    /// Whether a head is one of too many interim heads.
    private func isFlood(_ head: HTTPResponseHead) -> Bool {
        self.interimCount = head.status.code < 200 ? self.interimCount + 1 : 0
        return self.interimCount > Limits.interimAnswers
    }

    private func begins(with bytes: [UInt8]) -> Bool { self.first.readableBytesView.starts(with: bytes) }

    /// Passes on the withheld head with the right coding, and the first bytes of the body.
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
