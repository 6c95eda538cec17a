import Foundation
import Testing

@testable import CardRemote

/// Replies in XML.
@Suite struct ReplyXMLTests {
    private func read(_ text: String) -> ReplyDocument? {
        ReplyDocument(xml: Array(text.utf8), names: ReplyNames())
    }

    private func statement(_ code: String, _ message: String = "") -> ReplyDocument.Statement {
        ReplyDocument.Statement(spellings: [code], message: message)
    }

    @Test(arguments: [
        "<RESPONSE><RETCODE>000000</RETCODE><RETMSG>上传成功</RETMSG></RESPONSE>",
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<r a='1'>\n <RETCODE> 000000\n</RETCODE>\n "
            + "<RETMSG>上传成功</RETMSG></r>\n",
        "<s:r xmlns:s='urn:x'><s:RETCODE>000000</s:RETCODE><s:RETMSG>上传成功</s:RETMSG></s:r>",
        "<r><RETMSG><![CDATA[上传]]>&#25104;功</RETMSG><O><RETCODE>E1</RETCODE></O><RETCODE>000000</RETCODE></r>",
        "<!-- c --><r><RETCODE><!-- c -->000000</RETCODE><?pi x?><RETMSG>上传成功</RETMSG></r><!-- c -->",
        "<!-- <?x?> <!DOCTYPE --><r><RETCODE>000000</RETCODE><x><![CDATA[<?x?><!ENTITY]]></x><?pi <?x?>"
            + "<y a='\">' b=\"'>\"/><RETMSG>上传成功</RETMSG></r>",
    ])
    func `Code and text are the children of the root, whatever its name`(text: String) {
        #expect(self.read(text) == ReplyDocument(statement: self.statement("000000", "上传成功")))
    }

    @Test func `Entries are the children of ITEMS, whatever their name`() {
        let text = """
            <RESPONSE><RETCODE>E0</RETCODE><RETMSG/><ITEMS>
            <ITEM><RETCODE>0</RETCODE><RETMSG>好 &lt;1&gt;</RETMSG></ITEM><CARD><RETMSG>no code</RETMSG></CARD>
            <ITEM><RETCODE>1</RETCODE></ITEM><ITEM/></ITEMS></RESPONSE>
            """
        let items: [ReplyDocument.Statement?] = [self.statement("0", "好 <1>"), nil, self.statement("1"), nil]
        #expect(self.read(text) == ReplyDocument(statement: self.statement("E0"), items: .listed(items)))
    }

    @Test func `Empty ITEMS are a list of none, ITEMS that stand twice are no list`() {
        #expect(self.read("<r><ITEMS/></r>") == ReplyDocument(statement: nil, items: .listed([]), fields: ["ITEMS"]))
        let doubled = ReplyDocument(statement: nil, items: .malformed, fields: ["ITEMS", "ITEMS"])
        #expect(self.read("<r><ITEMS/><ITEMS/></r>") == doubled)
    }

    @Test(arguments: [
        "<r/>", "<RETCODE>0</RETCODE>", "<r><RETCODE/></r>", "<r><RETCODE> </RETCODE></r>",
        "<r><retcode>0</retcode></r>", "<r><a><RETCODE>0</RETCODE></a></r>",
        "<r><RETCODE>0</RETCODE><RETCODE>1</RETCODE></r>", "<r RETCODE='0'/>", "<r><RETCODE>0<b/></RETCODE></r>",
        "<r><RETCODE><b>0</b></RETCODE></r>",
    ])
    func `A document without one certain code says nothing`(text: String) {
        #expect(self.read(text)?.statement == nil && self.read(text)?.items == .absent)
    }

    @Test(arguments: [
        "", "<", "<r>", "<r><RETCODE>0</RETCODE>", "<r><RETCODE>0</RETCODE></r", "<r><RETCODE>0</r>",
        "<r><RETCODE>0</RETCODE></r>x", "<r><RETCODE>0</RETCODE></r><r/>", "<r><RETCODE>&no;</RETCODE></r>",
        "<r a='1' a='2'><RETCODE>0</RETCODE></r>",
        "<?x?><r><RETCODE>0</RETCODE></r>", "<r><?x?><RETCODE>0</RETCODE></r>",
        "<r><RETCODE>0\u{0}</RETCODE></r>", "<r><RETCODE>0\u{1}</RETCODE></r>",
    ])
    func `what is cut, goes on or is not well-formed is refused, though the parser calls some a success`(text: String) {
        #expect(self.read(text) == nil)
    }

    @Test func `Bytes that are no UTF-8 are refused`() {
        let bytes = Array("<r><RETCODE>0</RETCODE><RETMSG>".utf8) + [0xFF] + Array("</RETMSG></r>".utf8)
        #expect(ReplyDocument(xml: bytes, names: ReplyNames()) == nil)
    }

    @Test(arguments: [
        "<!DOCTYPE r [<!ENTITY a \"0\">]><r><RETCODE>&a;</RETCODE></r>",
        "<!DOCTYPE r SYSTEM \"file:///etc/passwd\"><r><RETCODE>0</RETCODE></r>",
        "<!DOCTYPE r [<!ENTITY a SYSTEM \"file:///etc/hostname\">]><r><RETCODE>&a;</RETCODE></r>",
        "<!doctype html><r><RETCODE>0</RETCODE></r>", "<!DOCTYPE r><r><RETCODE>0</RETCODE></r>",
        "<?pi <!-- ?><!DOCTYPE r><!-- --><r><RETCODE>0</RETCODE></r>",
    ])
    func `No document type definition is read: not one that multiplies, not one that lies outside`(text: String) {
        #expect(self.read(text) == nil)
    }

    @Test(arguments: [
        "<?pi <!-- ?><r><?x?><!-- --><RETCODE>0</RETCODE></r>", "<r a='<!--'><?x?><!-- --><RETCODE>0</RETCODE></r>",
        "<r><RETCODE>0</RETCODE><!--><?x?>", "<r 'a=\"'><?x?><y b=\"'/><RETCODE>0</RETCODE></r>",
        "<r><?\(String(repeating: "x", count: 65)) y?><RETCODE>0</RETCODE></r>", "<r><?>x?><RETCODE>0</RETCODE></r>",
    ])
    func `An instruction that would end the process hides behind no comment, quote or name`(text: String) {
        #expect(self.read(text) == nil)
    }

    @Test(arguments: ["<?", "<", "<!--", "<![CDATA[", "<a '", "<?a "])
    func `A reply of nothing but openings is refused in one pass`(opening: String) {
        // Were the rest looked through at each of them, this would take hours.
        let text = String(repeating: opening, count: Limits.replyBytes / opening.utf8.count)
        #expect(self.read(text) == nil)
    }

    @Test func `A billion laughs are none`() {
        var text = "<!DOCTYPE r [<!ENTITY a0 \"laugh\">"
        for level in 1...30 {
            text += "<!ENTITY a\(level) \"" + String(repeating: "&a\(level - 1);", count: 10) + "\">"
        }
        text += "]><r><RETCODE>0</RETCODE><RETMSG>&a30;</RETMSG></r>"
        #expect(self.read(text) == nil)
    }

    @Test func `Nesting is bounded`() {
        func nested(_ depth: Int) -> String {
            "<r><RETCODE>0</RETCODE>" + String(repeating: "<a>", count: depth - 1)
                + String(repeating: "</a>", count: depth - 1) + "</r>"
        }
        #expect(self.read(nested(Limits.xmlDepth))?.statement == self.statement("0"))
        #expect(self.read(nested(Limits.xmlDepth + 1)) == nil)
        #expect(self.read(nested(1000)) == nil)
        #expect(self.read(String(repeating: "<a>", count: 300_000)) == nil)
    }

    @Test func `The first error ends the reading: FoundationXML leaks at each of them`() async {
        await #expect(processExitsWith: .success) {
            func residentPages() throws -> Int {
                let sizes = try String(contentsOfFile: "/proc/self/statm", encoding: .utf8).split(separator: " ")
                return try #require(Int(sizes[1]))
            }
            let damaged = Array("<r>\(String(repeating: "<a:b:c/>", count: 10_000))</r>".utf8)
            #expect(ReplyXML.root(damaged) == nil)
            let before = try residentPages()
            for _ in 1...100 { #expect(ReplyXML.root(damaged) == nil) }
            // A million errors would be 72 MB.
            #expect(try residentPages() - before < 4_096)
        }
    }
}
