import Foundation
import MultipartForm
import Testing

@Suite("The events of an asynchronous body")
struct MultipartEventsTests {
    private func chunks(_ body: Data, size: Int) -> AsyncStream<Data> {
        AsyncStream { continuation in
            var rest = body
            while !rest.isEmpty {
                continuation.yield(rest.prefix(size))
                rest = rest.dropFirst(size)
            }
            continuation.finish()
        }
    }

    @Test("are those of the parser for every chunk size, and end with the form", arguments: [1, 3, 10, 1000])
    func events(size: Int) async throws {
        let parser = try MultipartParser(contentType: "multipart/form-data; boundary=XbndX")
        var content = Data()
        var kinds: [String] = []
        for try await event in MultipartEvents(chunks: self.chunks(ParserCase.base(), size: size), parser: parser) {
            switch event {
            case .partBegan(let head): kinds.append(head.name)
            case .data(let data): content.append(data)
            case .partEnded: kinds.append("end")
            case .formEnded: kinds.append("whole")
            }
        }
        #expect(content == ParserCase.content)
        #expect(kinds == ["f", "end", "whole"])
    }

    @Test("throw when the body is cut, and not before")
    func truncated() async throws {
        let parser = try MultipartParser(contentType: "multipart/form-data; boundary=XbndX")
        let body = ParserCase.base().dropLast(10)
        var iterator = MultipartEvents(chunks: self.chunks(body, size: 9), parser: parser).makeAsyncIterator()
        #expect(try await iterator.next() != nil)
        let error = await #expect(throws: MultipartFormError.self) { while try await iterator.next() != nil {} }
        #expect(error?.code == .truncated)
    }

    @Test("pass on what the chunks throw")
    func failure() async throws {
        struct Lost: Error {}
        let chunks = AsyncThrowingStream<Data, any Error> { continuation in
            continuation.yield(Data("--XbndX--".utf8))
            continuation.finish(throwing: Lost())
        }
        let parser = try MultipartParser(contentType: "multipart/form-data; boundary=XbndX")
        await #expect(throws: Lost.self) {
            for try await event in MultipartEvents(chunks: chunks, parser: parser) {
                #expect(event != .formEnded)
            }
        }
    }
}
