import IDCardCore
import IDCardPipeline

extension Retention {
    /// Takes the limits of every state from the keys under `retention`.
    init(_ values: ResolvedConfiguration) {
        self.init()
        for state in [CardState.delivered, .rejected, .superseded, .failed, .held] {
            self.limit(state, to: values.require("retention.\(state.rawValue)", \.duration))
        }
    }
}
