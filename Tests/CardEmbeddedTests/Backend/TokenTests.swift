import CardEmbedded
import Testing

@Suite(.timeLimit(.minutes(5))) struct TokenTests {
    @Test func `A new TOKEN is asked for after the configured number of documents, once`() async throws {
        let folder = BackendFolder()
        try await withBackend(in: folder) {
            $0.tokens = ["token-1", "token-2"]
            $0.requiresNewTokenAfter = 2
        } body: { client async throws in
            for index in 1...2 {
                #expect(
                    try await client.upload(.single(number: "A-\(index)"), key: "\"a\(index)\"").retcode == "000000"
                )
            }
            #expect(try await client.upload(.single(number: "A-3"), key: "\"a3\"").retcode == "100001")
            #expect(try await client.upload(.single(number: "A-1"), key: "\"a1\"").isReplay)
            for index in 1...4 {
                let form = HandWrittenForm.single(token: "token-2", number: "B-\(index)")
                #expect(try await client.upload(form, key: "\"b\(index)\"").retcode == "000000")
            }
        }
        #expect(try folder.refusals().map(\.replyCode) == ["100001"])
    }
}
