/// How slowly the fault server takes a body.
package struct SlowReading: Hashable, Sendable {
    /// The most bytes taken at a time.
    package var bytesPerStep: Int
    /// The pause between two steps, in milliseconds.
    package var stepMilliseconds: Int
    /// After so many bytes of the body the rest is taken at full speed; `nil` stays slow to the end.
    package var slowBytes: Int?

    /// Describes a slow reader of `bytesPerStep * 1000 / stepMilliseconds` bytes a second.
    package init(bytesPerStep: Int, stepMilliseconds: Int, slowBytes: Int? = nil) {
        precondition(bytesPerStep > 0 && stepMilliseconds > 0, "a step has at least one byte and one millisecond")
        self.bytesPerStep = bytesPerStep
        self.stepMilliseconds = stepMilliseconds
        self.slowBytes = slowBytes
    }
}
