import Glibc
import NIOCore

/// How far the peer's kernel has acknowledged what we sent.
///
/// Looking at our own buffers is not enough: the kernel says that it takes more only when a third of its send buffer is
/// free again, and that buffer grows to megabytes. A peer that reads steadily but slowly would seem to stand still.
enum TCPProgress {
    /// The part of the kernel's `struct tcp_info` (linux/tcp.h) up to what is wanted; glibc's own ends before it.
    private struct Info: Sendable {
        /// Eight bytes of state, 24 numbers of four bytes, two pacing rates.
        var before:
            (
                UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64, UInt64,
                UInt64, UInt64
            )
        /// `tcpi_bytes_acked` (RFC 4898 `tcpEStatsAppHCThruOctetsAcked`), since Linux 4.1.
        var bytesAcknowledged: UInt64
    }

    /// Asks the kernel; to be called on the channel's event loop, where the answer is there at once.
    ///
    /// - Returns: the bytes acknowledged; 0 if the kernel does not say, so that only our own buffers count.
    static func acknowledged(on channel: any Channel) -> EventLoopFuture<UInt64> {
        guard let provider = channel as? any SocketOptionProvider else {
            return channel.eventLoop.makeSucceededFuture(0)
        }
        let info: EventLoopFuture<Info> = provider.unsafeGetSocketOption(level: .tcp, name: .init(rawValue: TCP_INFO))
        return info.map { $0.bytesAcknowledged }.recover { _ in 0 }
    }
}
