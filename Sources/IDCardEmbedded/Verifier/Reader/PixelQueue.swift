import Dispatch

/// Runs loops over pixels on threads of their own, so that they hold up neither an event loop nor Swift's
/// cooperative threads.
struct PixelQueue: Sendable {
    private static let shared = DispatchQueue(label: "idcard.embedded.pixels", attributes: .concurrent)

    func run<Value: Sendable, Failure: Error>(
        _ work: @escaping @Sendable () throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let result: Result<Value, Failure> = await withCheckedContinuation { continuation in
            Self.shared.async {
                do throws(Failure) {
                    continuation.resume(returning: .success(try work()))
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        }
        return try result.get()
    }
}
