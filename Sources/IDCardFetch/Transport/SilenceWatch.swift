import NIOCore

/// Ends a connection whose peer is silent for too long, or that has had its time.
///
/// Silence counts only while bytes are waited for: as long as those that came are being stored, nothing is read, and
/// the peer is not to blame.
final class SilenceWatch: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// Why a connection was ended.
    enum Verdict: Error {
        /// Nothing came for too long.
        case silent
        /// The time for everything is used up.
        case late
    }

    private let limit: TimeAmount
    private let end: NIODeadline
    private var silence: Scheduled<Void>?
    private var lateness: Scheduled<Void>?

    /// Makes a watch for one connection.
    init(limit: TimeAmount, end: NIODeadline) {
        self.limit = limit
        self.end = end
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.lateness = context.eventLoop.assumeIsolated().scheduleTask(deadline: self.end) {
            self.finish(.late, context: context)
        }
    }

    func read(context: ChannelHandlerContext) {
        if self.silence == nil {
            self.silence = context.eventLoop.assumeIsolated().scheduleTask(in: self.limit) {
                self.finish(.silent, context: context)
            }
        }
        context.read()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.silence?.cancel()
        self.silence = nil
        context.fireChannelRead(data)
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.cancel()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.cancel()
    }

    private func finish(_ verdict: Verdict, context: ChannelHandlerContext) {
        self.cancel()
        context.fireErrorCaught(verdict)
        context.close(promise: nil)
    }

    private func cancel() {
        self.silence?.cancel()
        self.silence = nil
        self.lateness?.cancel()
        self.lateness = nil
    }
}
