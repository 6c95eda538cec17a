package import Foundation
package import IDCardCore
package import IDCardPipeline
import Synchronization

/// A verification service for tests: answers by a function of the image and counts what it was asked.
package final class ScriptedVerifier: Sendable {
    /// One call as the service saw it.
    package struct Call: Sendable {
        /// The image posted.
        package var image: Data
        /// How many calls came before this one, for the same image.
        package var earlierCalls: Int
    }

    private struct State {
        var images: [Data] = []
        var inFlight = 0
        var mostInFlight = 0
    }

    private let state = Mutex(State())
    private let answer: @Sendable (Call) async throws -> VerificationOutcome

    /// The shortest edge that it says it takes, in pixels.
    private let minimumEdge: Int?

    /// Makes a service that answers by a function.
    package init(
        minimumEdge: Int? = nil,
        _ answer: @escaping @Sendable (Call) async throws -> VerificationOutcome = {
            .read(PhotoText($0.image).reading)
        }
    ) {
        self.minimumEdge = minimumEdge
        self.answer = answer
    }

    /// The images posted so far, in order.
    package var images: [Data] { self.state.withLock { $0.images } }
    /// The most calls that were under way at one moment.
    package var mostInFlight: Int { self.state.withLock { $0.mostInFlight } }

    /// The service as the engine sees it.
    package var port: CardVerifier {
        CardVerifier(provider: "scripted", parameters: "legality=1", minimumEdge: self.minimumEdge) { image in
            let earlier = self.state.withLock { state in
                let earlier = state.images.filter { $0 == image }.count
                state.images.append(image)
                state.inFlight += 1
                state.mostInFlight = max(state.mostInFlight, state.inFlight)
                return earlier
            }
            defer { self.state.withLock { $0.inFlight -= 1 } }
            return try await self.answer(Call(image: image, earlierCalls: earlier))
        }
    }
}
