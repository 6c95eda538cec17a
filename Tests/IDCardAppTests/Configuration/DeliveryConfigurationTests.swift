import IDCardApp
import IDCardCore
import Testing

@Suite("Layout, names and replies of the business backend")
struct DeliveryConfigurationTests {
    private static let key24 = "0123456789abcdefghijklmn"

    @Test("The defaults are those of the original flow")
    func defaults() throws {
        let delivery = try ConfigurationFolder().load().delivery
        #expect(delivery.layout == .single)
        #expect(delivery.batch.maximumCards == 20)
        #expect(delivery.batch.maximumBytes == 20_000_000)
        #expect(delivery.batch.wait == .seconds(2))
        #expect(delivery.body == .multipart)
        #expect(delivery.headerPrefix == "X-")
        #expect(delivery.rate == nil)
        #expect(delivery.proxy == nil)
        let form = delivery.form
        #expect(
            [form.token, form.userNumber, form.businessType, form.businessNumber, form.documentType, form.file]
                == ["TOKEN", "USERNO", "BUSINESSTYPE", "BUSINESSNO", "DOCTYPE", "FILE"]
        )
        #expect([form.documentTypes.front, form.documentTypes.back] == ["IDCARD_FRONT_APP", "IDCARD_BACK_APP"])
        #expect([form.filenames.front, form.filenames.back] == ["IDFrontImage.jpg", "IDBackImage.jpg"])
        #expect(delivery.reply.encryption == .none)
        #expect(delivery.reply.key == nil)
        #expect(delivery.reply.initialisationVector == "01234567")
        #expect([delivery.reply.code, delivery.reply.message, delivery.reply.items] == ["RETCODE", "RETMSG", "ITEMS"])
    }

    @Test("Every key reaches its place")
    func typed() throws {
        let yaml = """
            delivery:
              layout: batch
              batch_max_cards: 3
              batch_max_bytes: 4MB
              batch_wait: 5s
              rate: 2.5
              proxy: http://me:pass%40word@proxy.example:3128
              fields: {token: t, user_no: u, business_type: bt, business_no: bn, doctype: d, file: f}
              doctype: {front: 正面, back: 反面}
              filename: {front: a.jpg, back: b.jpg}
              reply:
                encryption: 3des-cbc
                key: 0123456789abcdef
                iv: 76543210
                code: c
                message: m
                items: i

            """
        let delivery = try ConfigurationFolder().load(yaml: yaml).delivery
        #expect(delivery.layout == .batch)
        #expect(delivery.batch.maximumCards == 3)
        #expect(delivery.batch.maximumBytes == 4_000_000)
        #expect(delivery.batch.wait == .seconds(5))
        #expect(delivery.rate == 2.5)
        #expect(delivery.proxy?.password?.reveal() == "pass@word")
        let form = delivery.form
        #expect(
            [form.token, form.userNumber, form.businessType, form.businessNumber, form.documentType, form.file]
                == ["t", "u", "bt", "bn", "d", "f"]
        )
        #expect([form.documentTypes.front, form.documentTypes.back] == ["正面", "反面"])
        #expect([form.filenames.front, form.filenames.back] == ["a.jpg", "b.jpg"])
        #expect(delivery.reply.encryption == .tripleDESChained)
        #expect(try delivery.reply.key?.read().reveal() == "0123456789abcdef")
        #expect(delivery.reply.initialisationVector == "76543210")
        #expect([delivery.reply.code, delivery.reply.message, delivery.reply.items] == ["c", "m", "i"])
    }

    @Test(
        "Settings that contradict each other are refused",
        arguments: [
            (["delivery.body": "octet-stream", "delivery.layout": "batch"], "delivery.body"),
            (["delivery.body": "octet-stream", "delivery.layout": "application"], "delivery.body"),
            (["delivery.fields.file": "TOKEN"], "delivery.fields.file"),
            (["delivery.fields.token": "x", "delivery.fields.doctype": "x"], "delivery.fields.doctype"),
            (["delivery.reply.message": "RETCODE"], "delivery.reply.message"),
            (["delivery.reply.items": "RETMSG"], "delivery.reply.items"),
            (["delivery.body": "octet-stream", "delivery.fields.user_no": "token"], "delivery.fields.user_no"),
            (["delivery.body": "octet-stream", "delivery.fields.doctype": "DOC TYPE"], "delivery.fields.doctype"),
            (["delivery.body": "octet-stream", "delivery.fields.token": "令牌"], "delivery.fields.token"),
        ]
    )
    func conflicts(overrides: [String: String], key: String) throws {
        let error = try #require(try ConfigurationFolder().refusal(overrides: overrides))
        #expect(error.problems.map(\.code) == [.conflict])
        #expect(error.problems.map(\.key) == [key])
    }

    @Test("In a form, names that differ in capitals are two names, and need not be tokens")
    func formNames() throws {
        let delivery = try ConfigurationFolder().load(
            overrides: ["delivery.fields.user_no": "token", "delivery.fields.doctype": "单据 类型"]
        ).delivery
        #expect(delivery.form.userNumber == "token")
        #expect(delivery.form.documentType == "单据 类型")
        let octets = try ConfigurationFolder().load(
            overrides: ["delivery.body": "octet-stream", "delivery.fields.file": "文件"]
        ).delivery
        #expect(octets.body == .octetStream)
    }

    @Test("A prefix of headers consists of token characters", arguments: ["X Y-", "X:", "令-", "(X)", "X\"", "X/", ""])
    func headerPrefix(text: String) throws {
        let error = try #require(try ConfigurationFolder().refusal(overrides: ["delivery.header_prefix": text]))
        #expect(error.problems.map(\.code) == [.malformedValue])
        #expect(error.problems.map(\.key) == ["delivery.header_prefix"])
    }

    @Test(
        "An initialisation vector has eight bytes, not eight letters",
        arguments: ["0123456", "012345678", "0123456é"]
    )
    func initialisationVector(text: String) throws {
        let error = try #require(try ConfigurationFolder().refusal(overrides: ["delivery.reply.iv": text]))
        #expect(error.problems.map(\.code) == [.malformedValue])
    }

    @Test(
        "Triple DES takes 16 bytes, or 24 and more",
        arguments: [(1, false), (15, false), (16, true), (17, false), (23, false), (24, true), (25, true), (64, true)]
    )
    func keyLength(count: Int, isTaken: Bool) throws {
        let folder = try ConfigurationFolder()
        let key = String(repeating: "k", count: count)
        let path = try folder.write(key + "\n", to: "key")
        for (name, value) in [("key", key), ("key_file", path)] {
            let overrides = ["delivery.reply.encryption": "3des-ecb", "delivery.reply.\(name)": value]
            let error = try folder.refusal(overrides: overrides)
            #expect(error?.problems.map(\.code) == (isTaken ? nil : [.outOfRange]))
            #expect(error?.problems.map(\.key) == (isTaken ? nil : ["delivery.reply.\(name)"]))
            #expect(error?.message.contains("kk") != true)
            guard isTaken else { continue }
            #expect(try folder.load(overrides: overrides).delivery.reply.key?.read().reveal() == key)
        }
    }

    @Test("The length of a key is counted in bytes")
    func keyBytes() throws {
        let delivery = try ConfigurationFolder().load(
            overrides: ["delivery.reply.encryption": "3des-cbc", "delivery.reply.key": "密钥密钥密钥密钥"]
        ).delivery
        #expect(try delivery.reply.key?.read().reveal().utf8.count == 24)
    }

    @Test("Encrypted replies need a key from one place, in a file that is its owner's alone")
    func keySources() throws {
        let folder = try ConfigurationFolder()
        let missing = try #require(try folder.refusal(overrides: ["delivery.reply.encryption": "3des-cbc"]))
        #expect(missing.problems.map(\.code) == [.missing])
        #expect(missing.problems.map(\.key) == ["delivery.reply.key"])
        let both = try #require(
            try folder.refusal(overrides: ["delivery.reply.key": Self.key24, "delivery.reply.key_file": "/srv/key"])
        )
        #expect(both.problems.map(\.code) == [.conflict])
        #expect(!both.message.contains(Self.key24))
        let open = try folder.write(Self.key24, to: "open", mode: 0o644)
        let overrides = ["delivery.reply.encryption": "3des-cbc", "delivery.reply.key_file": open]
        #expect(try folder.refusal(overrides: overrides)?.problems.map(\.code) == [.insecureFile])
        #expect(try folder.load(overrides: overrides, embedded: true).delivery.reply.key != nil)
        let malformed = ["delivery.reply.encryption": "3des-cbc", "delivery.reply.key": "canary\u{7}"]
        #expect(try folder.refusal(overrides: malformed)?.problems.map(\.code) == [.malformedValue])
    }
}
