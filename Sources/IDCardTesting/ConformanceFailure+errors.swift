import IDCardPipeline

/// Expects that something fails with a code of `StoreError`.
func expectError(
    _ code: StoreError.Code,
    _ what: String,
    file: StaticString = #fileID,
    line: UInt = #line,
    from body: () async throws -> Void
) async throws {
    do {
        try await body()
    } catch let error as StoreError {
        return try expectEqual(error.code, code, what, file: file, line: line)
    }
    throw ConformanceFailure(message: "\(what): expected \(code), nothing was thrown", location: "\(file):\(line)")
}
