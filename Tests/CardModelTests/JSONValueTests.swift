import Testing

@testable import CardModel

@Suite struct JSONValueTests {
    private func read(_ text: String) -> JSONValue? { JSONValue(parsing: Array(text.utf8)) }

    @Test(arguments: ["0", "-0", "0.0", "1e3", "1.50E+10", "-12", "90000000000000000000000"])
    func `Numbers keep their digits`(text: String) {
        #expect(self.read(text) == .number(text))
        #expect(self.read(" [ \(text) ] ") == .array([.number(text)]))
    }

    @Test(arguments: [
        "", " ", "00", "01", "-", "+1", ".5", "1.", "1e", "1e+", "0x1", "NaN", "tru", "nul", "truex", "{", "}", "[",
        "]",
        "[1,]", "[,1]", "[1 2]", #"{"a"}"#, #"{"a":}"#, #"{"a":1,}"#, #"{a:1}"#, #"{'a':1}"#, #"{"a":1}x"#, "{}{}",
        "\"", "\"a", "\"\\x\"", "\"\\u12\"", "\"\\u12G4\"", "\"\\ud800\"", "\"\\ud800\\u0041\"", "\"\\udc00\"",
        "\"a\nb\"", "\"\u{1}\"", "// c\n1", "[1]\u{0}",
    ])
    func `What is no JSON is refused`(text: String) {
        #expect(self.read(text) == nil)
    }

    @Test(arguments: [
        (#""""#, ""), (#""a\"\\\/\b\f\n\r\tz""#, "a\"\\/\u{8}\u{C}\n\r\tz"), (#""\u4e0A""#, "上"),
        (#""\ud83d\uDE00""#, "😀"), ("\"上传\u{7F}\"", "上传\u{7F}"), (#""\u0000""#, "\u{0}"),
    ])
    func `Strings come without their escapes`(text: String, value: String) {
        #expect(self.read(text) == .string(value))
    }

    @Test
    func `Bytes that are no UTF-8 are refused, in names and in strings`() {
        #expect(JSONValue(parsing: [0x22, 0xFF, 0x22]) == nil)
        #expect(JSONValue(parsing: [0x22, 0xC0, 0xAF, 0x22]) == nil)
        #expect(JSONValue(parsing: [0x22, 0xED, 0xA0, 0x80, 0x22]) == nil)
        #expect(JSONValue(parsing: Array("{\"".utf8) + [0xFE] + Array("\":1}".utf8)) == nil)
    }

    @Test
    func `Members keep their order, and a name that stands twice has no value`() throws {
        let object = try #require(self.read(#"{"a":1,"b":{"c":[true,false,null]},"a":2}"#))
        #expect(object["a"] == nil)
        #expect(object.count(of: "a") == 2)
        #expect(object["b"]?["c"] == .array([.boolean(true), .boolean(false), .null]))
        #expect(object["d"] == nil)
        #expect(JSONValue.null["a"] == nil)
    }

    @Test(arguments: [("[", "]"), (#"{"a":"#, "}")])
    func `Nesting is bounded`(open: String, close: String) {
        func nested(_ depth: Int) -> String {
            String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)
        }
        #expect(self.read(nested(JSONValue.maxDepth)) != nil)
        #expect(self.read(nested(JSONValue.maxDepth + 1)) == nil)
        #expect(self.read(nested(1000)) == nil)
        #expect(self.read(String(repeating: open, count: 100_000)) == nil)
    }
}
