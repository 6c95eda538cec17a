import CardEmbedded
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct SeveralDocumentsTests {
    private let folder = BackendFolder()

    private typealias Form = HandWrittenForm

    @Test func `Stores both sides of an application and answers for each`() async throws {
        let form = Form.application([.init(), .init(isFront: false, image: Form.image(1))])
        try await withBackend(in: self.folder) { client async throws in
            let answer = try await client.upload(form, key: "\"k\"")
            #expect(answer.status == 200)
            #expect(answer.retcode == "000000")
            #expect(answer.itemCodes == ["000000", "000000"])
            let again = try await client.upload(form, key: "\"k\"")
            #expect(again.isReplay)
            #expect(again.body == answer.body)
        }
        let ledger = try self.folder.ledger()
        #expect(ledger.map(\.idempotencyKey) == ["k", "k"])
        #expect(ledger.map(\.position) == [1, 2])
        #expect(ledger.map(\.following) == [1, 0])
        #expect(ledger.map(\.sequence) == [1, 2])
        #expect(ledger.map(\.outOfOrder) == [false, false])
        #expect(try self.folder.documents() == ["B-1/IDCARD_BACK_APP-1.jpg", "B-1/IDCARD_FRONT_APP-1.jpg"])
    }

    @Test func `Stores nothing of an application if one document is refused`() async throws {
        let form = Form.application([.init(), .init(isFront: false, image: [1, 2, 3, 4, 5])])
        try await withBackend(in: self.folder) { client async throws in
            let answer = try await client.upload(form, key: "\"k\"")
            #expect(answer.retcode == "200003")
            #expect(answer.itemCodes == ["900001", "200003"])
            #expect(try await client.upload(form, key: "\"k\"").body == answer.body)
            let front = try await client.upload(Form.application([.init()]), key: "\"k2\"")
            #expect(front.retcode == "000000")
            #expect(front.itemCodes == nil)
        }
        #expect(try self.folder.ledger().map(\.idempotencyKey) == ["k2"])
    }

    @Test func `Answers every document of a batch for itself, across a restart too`() async throws {
        let form = Form.batch([
            .init(number: "B-1"), .init(number: "B-2", image: [0]), .init(number: "B-1", isFront: false),
            .init(number: "B-3"), .init(number: "B-4", isFront: false), .init(number: "B-3"),
        ])
        let body = try await withBackend(in: self.folder) { client async throws in
            #expect(try await client.upload(.single(number: "B-3"), key: "\"0\"").retcode == "000000")
            let answer = try await client.upload(form, key: "\"k\"")
            #expect(answer.retcode == "200010")
            #expect(answer.itemCodes == ["000000", "200003", "000000", "000001", "000000", "000001"])
            return answer.body
        }
        try await withBackend(in: self.folder) { client async throws in
            let again = try await client.upload(form, key: "\"k\"")
            #expect(again.isReplay)
            #expect(again.body == body)
            var other = form
            other.parts[3].body = Array("B-9".utf8)
            #expect(try await client.upload(other, key: "\"k\"").status == 422)
        }
        let ledger = try self.folder.ledger()
        #expect(ledger.map(\.position) == [1, 1, 3, 5])
        #expect(ledger.map(\.businessNo) == ["B-3", "B-1", "B-1", "B-4"])
        #expect(ledger.map(\.outOfOrder) == [false, false, false, true])
    }

    @Test func `ITEMS are sent in the order of the form, and once more the same`() async throws {
        let form = Form.batch([.init(number: "B-1"), .init(number: "B-2", image: [0])])
        try await withBackend(in: self.folder) { client async throws in
            let answer = try await client.upload(form, key: "\"k\"")
            #expect(
                answer.text == #"{"ITEMS":[{"RETCODE":"000000","RETMSG":"success"},"#
                    + #"{"RETCODE":"200003","RETMSG":"FILE is not a whole JPEG"}],"#
                    + #""RETCODE":"200010","RETMSG":"see ITEMS"}"#
            )
            #expect(answer["content-type"] == "application/json")
            #expect(try await client.upload(form, key: "\"k\"").body == answer.body)
        }
    }

    @Test func `Says of a batch it holds already, or refuses as a whole, so for all and for each`() async throws {
        let form = Form.batch([.init(number: "B-1"), .init(number: "B-2")])
        let refused = Form.batch([.init(number: "B-1", image: [0]), .init(number: "B-2", image: [0])])
        try await withBackend(in: self.folder) { client async throws in
            #expect(try await client.upload(form, key: "\"1\"").retcode == "000000")
            let known = try await client.upload(form, key: "\"2\"")
            #expect(known.retcode == "000001")
            #expect(known.itemCodes == ["000001", "000001"])
            let none = try await client.upload(refused, key: "\"3\"")
            #expect(none.retcode == "200003")
            #expect(none.itemCodes == ["200003", "200003"])
        }
        #expect(try self.folder.ledger().count == 2)
    }

    @Test func `Stores nothing, and looks at no document, when the TOKEN has expired`() async throws {
        let form = Form.batch([.init(number: "B-1"), .init(number: "B-2")])
        try await withBackend(in: self.folder) {
            $0.tokens = ["token-1", "token-2"]
            $0.requiresNewTokenAfter = 2
        } body: { client async throws in
            #expect(try await client.upload(form, key: "\"1\"").retcode == "000000")
            let further = [Form.Document(number: "B-3"), Form.Document(number: "B-4")]
            let expired = try await client.upload(.batch(further), key: "\"2\"")
            #expect(expired.retcode == "100001")
            #expect(expired.itemCodes == nil)
            #expect(try await client.upload(.batch(further, token: "token-2"), key: "\"3\"").retcode == "000000")
        }
        #expect(try self.folder.ledger().map(\.idempotencyKey) == ["1", "1", "3", "3"])
    }

    @Test(arguments: [
        [0, 1, 2, 3, 4, 5, 4], [0, 1, 2, 3, 4, 5, 5, 4], [0, 1, 2, 3, 4, 5, 4, 5, 4, 5],
        [0, 1, 2, 3, 4, 5, 2, 3, 4],
        [0, 1, 2, 3, 4, 5, 2, 3, 5, 4], [0, 1, 2, 3, 4, 5, 4, 5, 2, 3, 4, 5], [0, 1, 2, 3, 4, 5, 2, 3, 4, 5, 4, 5],
        [0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5], [0, 1, 2, 3, 4, 5, 3, 4, 5], [2, 3, 4, 5, 0, 1],
    ])
    func `Refuses parts that make no layout, and stores nothing`(order: [Int]) async throws {
        let single = Form.single()
        let form = Form(parts: order.map { single.parts[$0] })
        try await withBackend(in: self.folder) { client async throws in
            let answer = try await client.upload(form, key: "\"k\"")
            #expect(answer.retcode == "200001")
            #expect(answer.itemCodes == nil)
        }
        #expect(try self.folder.documents().isEmpty)
    }

    @Test func `Refuses the second of two fronts in an application`() async throws {
        try await withBackend(in: self.folder) { client async throws in
            let answer = try await client.upload(.application([.init(), .init(image: Form.image(1))]), key: "\"k\"")
            #expect(answer.itemCodes == ["900001", "200002"])
        }
        #expect(try self.folder.ledger().isEmpty)
    }
}
