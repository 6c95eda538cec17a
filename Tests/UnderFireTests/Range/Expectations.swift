import Foundation
import IDCardTesting
import Testing

/// Expects that every document is in the books once, and that no key came with other bytes.
func expectOneDocumentEach(
    in ledger: Ledger,
    count: Int,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    #expect(ledger.documents.count == count, sourceLocation: sourceLocation)
    #expect(ledger.countsByDocument.values.allSatisfy { $0 == 1 }, sourceLocation: sourceLocation)
    #expect(ledger.conflicts == 0, sourceLocation: sourceLocation)
}

/// Expects that all requests under one idempotency key are the same, head and body, byte for byte; one that broke off
/// is the beginning of the others.
///
/// - Returns: how many requests came under each key.
@discardableResult
func expectIdenticalRepeats(
    at server: FaultServer,
    sourceLocation: SourceLocation = #_sourceLocation
) throws -> [String: Int] {
    let attempts = Dictionary(grouping: server.received) { $0.header("Idempotency-Key") ?? "none" }
    #expect(attempts["none"] == nil, sourceLocation: sourceLocation)
    for requests in attempts.values {
        let whole = try #require(requests.first { $0.isComplete }, sourceLocation: sourceLocation)
        for request in requests {
            #expect(request.head == whole.head, sourceLocation: sourceLocation)
            #expect(!request.isComplete || request.body.count == whole.body.count, sourceLocation: sourceLocation)
            // As `Data`, whose comparison does not look at every byte by itself.
            let isBeginning = Data(whole.body.prefix(request.body.count)) == Data(request.body)
            #expect(isBeginning, sourceLocation: sourceLocation)
        }
    }
    return attempts.mapValues(\.count)
}
