import NIOCore
import NIOHTTP1

/// Says whether an answer is gzip or deflate by its first bytes, in place of what its sender says of its coding:
/// async-http-client inflates by that word, and senders say `aws-chunked`, `utf-8` or `none`.
final class CodingByBytes: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart

    /// What the answers are that come.
    enum Kind {
        /// Images, whose hosts may compress them without a word.
        case images
        /// Texts; a coding that we do not know stays named, for messages.
        case texts
    }

    private let kind: Kind
    /// A head that waits for the first bytes behind it.
    private var head: HTTPResponseHead?
    private var first = ByteBuffer()

    init(_ kind: Kind) { self.kind = kind }

    /// Puts one into the pipeline of a connection, before its first request.
    static func add(to channel: any Channel, for kind: Kind) throws {
        let pipeline = channel.pipeline.syncOperations
        let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPResponseDecoder>.self)
        try pipeline.addHandler(CodingByBytes(kind), position: .after(decoder))
        try StatusCheck.add(to: channel)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch self.unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            let isDecided =
                switch self.kind {
                // A part of an image may begin with the same bytes by chance.
                case .images: head.status != .ok
                // What is not labelled waits for nothing: the body of an early refusal may never come.
                case .texts: !head.headers.contains(name: Self.name)
                }
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

    private static let name = "Content-Encoding"

    private func begins(with bytes: [UInt8]) -> Bool { self.first.readableBytesView.starts(with: bytes) }

    private func pass(_ context: ChannelHandlerContext) {
        guard var head = self.head else { return }
        self.head = nil
        let labels = head.headers[canonicalForm: Self.name].map { $0.lowercased() }
        head.headers.remove(name: Self.name)
        let (isGzip, isDeflate) = (self.begins(with: [0x1F, 0x8B]), labels == ["deflate"] && self.begins(with: [0x78]))
        if isGzip || isDeflate {
            head.headers.add(name: Self.name, value: isGzip ? "gzip" : "deflate")
        } else if self.kind == .texts, !labels.contains("gzip"), !labels.contains("deflate") {
            for label in labels { head.headers.add(name: Self.name, value: label) }
        }
        context.fireChannelRead(self.wrapInboundOut(.head(head)))
        guard self.first.readableBytes > 0 else { return }
        context.fireChannelRead(self.wrapInboundOut(.body(self.first)))
        self.first = ByteBuffer()
    }
}
