import Foundation

#if canImport(MultipartForm)
@testable import MultipartForm
#endif

/// What the parser made of a body.
struct Outcome {
    struct Part: Equatable {
        let head: PartHead
        var content = Data()
    }

    private(set) var parts: [Part] = []
    /// Why it was refused; `nil` when it was accepted.
    private(set) var code: MultipartFormError.Code?

    init(
        _ body: Data,
        contentType: String,
        limits: MultipartParser.Limits = MultipartParser.Limits(),
        chunks: Chunks = Chunks(seed: nil)
    ) throws {
        do {
            var parser = try MultipartParser(contentType: contentType, limits: limits)
            var chunks = chunks
            var rest = body
            var current: Part?
            var hasEnded = false
            while !hasEnded {
                if rest.isEmpty {
                    parser.finish()
                } else {
                    let count = chunks.next(of: rest.count)
                    parser.append(rest.prefix(count))
                    rest = rest.dropFirst(count)
                }
                while let event = try parser.next() {
                    try Self.require(!hasEnded, "an event after the end")
                    switch event {
                    case .partBegan(let head):
                        try Self.require(current == nil, "a part in a part")
                        current = Part(head: head)
                    case .data(let data):
                        try Self.require(current != nil && !data.isEmpty, "data outside a part, or none")
                        current?.content.append(data)
                    case .partEnded:
                        try Self.require(current != nil, "the end of no part")
                        if let part = current { self.parts.append(part) }
                        current = nil
                    case .formEnded:
                        try Self.require(current == nil && rest.isEmpty, "the end in the middle")
                        hasEnded = true
                    }
                }
            }
        } catch let error as MultipartFormError {
            self.code = error.code
        }
    }

    private static func require(_ condition: Bool, _ violation: String) throws {
        guard condition else { throw FormOracle.Violation(description: violation) }
    }
}
