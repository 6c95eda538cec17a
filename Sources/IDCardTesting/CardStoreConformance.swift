/// The promises of `CardStore`, one case each; every store passes all of them.
///
/// A test target runs the cases as the `arguments:` of one test, each on an empty store of its own:
/// ```swift
/// @Test("the store keeps the promise", arguments: CardStoreConformance.cases)
/// func promise(_ promise: CardStoreConformance.Case) async throws {
///     let store = InMemoryStore()
///     try await promise.run(.init(store: store, another: { InMemoryStore(sharing: store) }, end: { $0.die() }))
/// }
/// ```
package enum CardStoreConformance {
    /// One promise.
    package struct Case: Sendable, CustomStringConvertible {
        /// The promise in words.
        package let description: String
        private let body: @Sendable (StoreSubject) async throws -> Void

        init(_ description: String, _ body: @escaping @Sendable (StoreSubject) async throws -> Void) {
            self.description = description
            self.body = body
        }

        /// Tries the promise.
        ///
        /// - Throws: `ConformanceFailure` if it is not kept, or what the store throws where it must not.
        package func run(_ subject: StoreSubject) async throws {
            try await self.body(subject)
        }
    }

    /// All promises.
    package static let cases: [Case] =
        intake + recognition + metadata + verification + verificationEndings + leases + lateness + preparation
        + applications + changes + awaitedInputs
        + deliveries
        + deliveryEndings + batches + queries + accessLog + erasure + erasedFronts + superseding + operations + sentOnce
        + callFailures + reception + receipts + received + fetching + fetchEndings + watch
}
