/// What one batch of a rotation has done.
package struct KeyRewrap: Sendable, Hashable {
    /// The last owner that it looked at; `nil` if none was left.
    package var last: String?
    /// How many data keys are under the current key now.
    package var rewrapped: Int
    /// How many are damaged, and stay as they are.
    package var damaged: Int
}
