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

    /// Makes a service that answers by a function.
    package init(
        _ answer: @escaping @Sendable (Call) async throws -> VerificationOutcome = {
            .read(PhotoText($0.image).reading)
        }
    ) {
        self.answer = answer
    }

    /// The images posted so far, in order.
    package var images: [Data] { self.state.withLock { $0.images } }
    /// The most calls that were under way at one moment.
    package var mostInFlight: Int { self.state.withLock { $0.mostInFlight } }

    /// The service as the engine sees it.
    package var port: CardVerifier {
        CardVerifier(provider: "scripted", parameters: "legality=1") { image in
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

/// A photo for tests, as a line of text: `front;110101199003070011;anything` or `back;anything`.
package struct PhotoText: Sendable {
    /// What the scripted verifier reads from it.
    package let reading: CardReading

    /// Reads the line.
    package init(_ image: Data) {
        let fields = String(decoding: image, as: UTF8.self).split(separator: ";").map(String.init)
        let side = fields.first.flatMap(CardSide.init)
        self.reading = CardReading(
            side: side,
            fields: CardFields(number: side == .front && fields.count > 1 ? fields[1] : nil),
            legality: Legality(vendorScores: ["ID Photo": 0.95, "Photocopy": 0.05])
        )
    }
}
