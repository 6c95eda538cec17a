import Foundation

/// Comparison whose time depends on lengths alone.
enum ConstantTime {
    /// Whether two texts of bytes are the same.
    static func equal(_ lhs: Data, _ rhs: Data) -> Bool {
        guard lhs.count == rhs.count else { return false }
        return zip(lhs, rhs).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
