import HTTPTypes
import Hummingbird
import IDCardCore
import IDCardPipeline
import NIOCore

/// `GET /metrics`.
struct MetricsDesk: Sendable {
    let cards: any CardStore
    let now: @Sendable () -> Timestamp
    let metrics: ServerMetrics
    let rendered: PrometheusMetrics
    let connections: ConnectionRegister

    /// Answers with all figures of the process.
    func answer() async throws -> Response {
        self.metrics.set(connections: self.connections.count, refused: self.connections.refusedCount)
        self.metrics.set(
            states: try await self.cards.stateCounts(),
            pauses: try await self.cards.pauses(),
            standings: try await self.cards.standings(),
            now: self.now()
        )
        return Response(
            status: .ok,
            headers: [.contentType: PrometheusMetrics.mediaType],
            body: .init(byteBuffer: ByteBuffer(string: self.rendered.render()))
        )
    }
}
