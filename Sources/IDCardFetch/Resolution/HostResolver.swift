/// Finds the addresses of a name.
package struct HostResolver: Sendable {
    /// Why a name gave no address.
    package enum Failure: Error, Hashable, Sendable {
        /// The name has none.
        case noAddress
        /// It could not be found out, or not in time.
        case unavailable
    }

    /// Returns all addresses, the preferred ones first; throws ``Failure``, or `CancellationError`.
    package var resolve: @Sendable (_ name: String) async throws -> [IPAddress]

    /// Takes the function.
    package init(resolve: @escaping @Sendable (String) async throws -> [IPAddress]) {
        self.resolve = resolve
    }
}
