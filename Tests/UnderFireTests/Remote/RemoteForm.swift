import Foundation
import IDCardTesting
import MultipartForm

/// A form as a scripted remote side reads it.
struct RemoteForm: Sendable {
    /// One part of it.
    struct Part: Hashable, Sendable {
        var name: String
        var isFile: Bool
        var content: Data
    }

    /// The parts in the order of the wire.
    let parts: [Part]

    /// Parses the body of a request; throws if it is not whole.
    init(_ request: ReceivedRequest) throws {
        var parser = try MultipartParser(
            contentType: request.header("Content-Type") ?? "",
            contentLength: request.announcedLength.map(Int64.init)
        )
        var parts: [Part] = []
        parser.append(Data(request.body))
        try Self.drain(&parser, into: &parts)
        parser.finish()
        try Self.drain(&parser, into: &parts)
        self.parts = parts
    }

    private static func drain(_ parser: inout MultipartParser, into parts: inout [Part]) throws {
        while let event = try parser.next() {
            switch event {
            case .partBegan(let head):
                parts.append(Part(name: head.name, isFile: head.filename != nil, content: Data()))
            case .data(let data): parts[parts.count - 1].content += data
            case .partEnded, .formEnded: break
            }
        }
    }

    /// The text of the first part of a name.
    func text(_ name: String) -> String? {
        self.parts.first { $0.name == name && !$0.isFile }.map { String(decoding: $0.content, as: UTF8.self) }
    }

    /// The content of the first file.
    var image: Data? { self.parts.first(where: \.isFile)?.content }
}
