import Foundation
import MultipartForm

extension ParserCase {
    private static func field(_ head: String, _ content: String = "v") -> Data {
        Data("--XbndX\r\n\(head)\r\n\r\n\(content)\r\n--XbndX--\r\n".utf8)
    }

    private static func refusedHead(_ title: String, _ head: String, _ code: MultipartFormError.Code) -> ParserCase {
        ParserCase(title, data: self.field(head), .refused(code))
    }

    /// What must be refused, beside the thirty cases.
    static let refusals: [ParserCase] = [
        ParserCase("a cut boundary line", "--XbndX", .refused(.truncated)),
        ParserCase("a boundary line without its LF", "--XbndX\r", .refused(.truncated)),
        ParserCase("one closing dash", "--XbndX-", .refused(.truncated)),
        ParserCase("a closing line cut in its end", "--XbndX--\r", .refused(.truncated)),
        ParserCase("one dash and a line end", "--XbndX-\r\n", .refused(.malformedDelimiter)),
        ParserCase("text after the closing dashes", "--XbndX--x\r\n", .refused(.malformedDelimiter)),
        ParserCase("three closing dashes", "--XbndX---\r\n", .refused(.malformedDelimiter)),
        ParserCase("LF after the closing dashes", "--XbndX--\n", .refused(.malformedDelimiter)),
        ParserCase("CR after a boundary", "--XbndX\rX\r\n", .refused(.malformedDelimiter)),
        ParserCase("dashes after padding", "--XbndX --\r\n", .refused(.malformedDelimiter)),
        ParserCase("a longer line before the first part", "--XbndXX\r\n--XbndX--\r\n", .refused(.malformedDelimiter)),
        ParserCase("no boundary at all", "name=value&other=value", .refused(.truncated)),
        ParserCase("a boundary in the middle of a line", "x--XbndX--\r\n", .refused(.truncated)),
        ParserCase("another boundary's letters", "--xbndx--\r\n", .refused(.truncated)),
        ParserCase("head without an end", "--XbndX\r\nContent-Disposition: form-data\r\n", .refused(.truncated)),
        ParserCase(
            "LF before the closing delimiter",
            "--XbndX\r\nContent-Disposition: form-data; name=a\r\n\r\nv\n--XbndX--\r\n",
            .refused(.truncated)
        ),
        ParserCase(
            "LF lines after the first",
            "--XbndX\r\nContent-Disposition: form-data; name=a\n\nv\r\n--XbndX--\r\n",
            .refused(.malformedHeader)
        ),
        refusedHead("an empty name", #"Content-Disposition: form-data; name="""#, .missingName),
        refusedHead("only name*", "Content-Disposition: form-data; name*=UTF-8''a", .missingName),
        refusedHead("no disposition", "Content-Type: text/plain", .invalidDisposition),
        refusedHead("no header at all", "", .invalidDisposition),
        refusedHead("another disposition", #"Content-Disposition: attachment; name="a""#, .invalidDisposition),
        refusedHead("a disposition without value", "Content-Disposition:", .invalidDisposition),
        refusedHead(
            "two dispositions",
            "Content-Disposition: form-data; name=a\r\nContent-Disposition: form-data; name=b",
            .invalidDisposition
        ),
        refusedHead("an open quote", #"Content-Disposition: form-data; name="a"#, .invalidDisposition),
        refusedHead("text after a quote", #"Content-Disposition: form-data; name="a"b"#, .invalidDisposition),
        refusedHead("blank around =", #"Content-Disposition: form-data; name = "a""#, .invalidDisposition),
        refusedHead("a name without value", "Content-Disposition: form-data; name", .invalidDisposition),
        refusedHead("an empty unquoted name", "Content-Disposition: form-data; name=", .invalidDisposition),
        refusedHead("a comma for a semicolon", "Content-Disposition: form-data, name=a", .invalidDisposition),
        refusedHead("CR in a name", "Content-Disposition: form-data; name=\"a\rb\"", .malformedHeader),
        refusedHead("NUL in a name", "Content-Disposition: form-data; name=\"a\u{0}b\"", .malformedHeader),
        refusedHead("NUL in another header", "Content-Disposition: form-data; name=a\r\nX: \u{0}", .malformedHeader),
        refusedHead("a folded line", "Content-Disposition: form-data;\r\n name=\"a\"", .malformedHeader),
        refusedHead("a line without colon", "Content-Disposition: form-data; name=a\r\nX", .malformedHeader),
        refusedHead("a line without name", "Content-Disposition: form-data; name=a\r\n: x", .malformedHeader),
        refusedHead("blank before the colon", "Content-Disposition : form-data; name=a", .malformedHeader),
        refusedHead(
            "two content types",
            "Content-Disposition: form-data; name=a\r\nContent-Type: a/b\r\ncontent-type: c/d",
            .malformedHeader
        ),
        refusedHead(
            "quoted-printable",
            "Content-Disposition: form-data; name=a\r\nContent-Transfer-Encoding: quoted-printable",
            .unsupportedTransferEncoding
        ),
        ParserCase(
            "a name in Latin-1",
            data: Data("--XbndX\r\nContent-Disposition: form-data; name=\"".utf8) + Data([0xE9])
                + Data("\"\r\n\r\nv\r\n--XbndX--\r\n".utf8),
            .refused(.malformedHeader)
        ),
    ]

    private static func acceptedHead(_ title: String, _ head: String, _ name: String = "a") -> ParserCase {
        ParserCase(title, data: self.field(head), .parts([.text(name, "v")]))
    }

    private static func acceptedContent(_ title: String, _ content: String) -> ParserCase {
        let body = self.field("Content-Disposition: form-data; name=a", content)
        return ParserCase(title, data: body, .parts([.text("a", content)]))
    }

    /// What must be accepted, beside the thirty cases.
    static let acceptances: [ParserCase] = [
        // Two characters in GBK, the second of which ends in a backslash (curl on Chinese Windows).
        ParserCase(
            "a file name in GBK",
            data: Data("--XbndX\r\nContent-Disposition: form-data; name=a; filename=\"".utf8)
                + Data([0xD6, 0xA4, 0x8F, 0x5C])
                + Data("\"\r\n\r\nv\r\n--XbndX--\r\n".utf8),
            .parts([Part("a", "\u{05A4}\u{FFFD}\\", nil, Data("v".utf8))])
        ),
        acceptedHead("semicolons and = in quotes", #"Content-Disposition: form-data; name="a;b=c""#, "a;b=c"),
        acceptedHead(
            "a fake parameter in quotes",
            #"Content-Disposition: form-data; name="a; filename=b""#,
            "a; filename=b"
        ),
        acceptedHead(
            "an escaped fake parameter",
            #"Content-Disposition: form-data; name="a\"; filename=\"b""#,
            "a\"; filename=\"b"
        ),
        acceptedHead("no blank after semicolons", "Content-Disposition: form-data;name=a;x=y"),
        acceptedHead("tabs around semicolons", "Content-Disposition:\tform-data\t;\tname=a\t"),
        acceptedHead("a semicolon at the end", "Content-Disposition: form-data; name=a;"),
        acceptedHead("two semicolons", "Content-Disposition: form-data;; name=a; ;"),
        acceptedHead("no blank after the colon", "Content-Disposition:form-data; name=a"),
        acceptedHead("other headers", "X-Y: z\r\nContent-Disposition: form-data; name=a\r\nContent-Length: 1"),
        acceptedHead("an empty other header", "X-Y:\r\nContent-Disposition: form-data; name=a"),
        acceptedHead("binary", "Content-Disposition: form-data; name=a\r\nContent-Transfer-Encoding: BINARY"),
        acceptedHead("a name ending in a bare backslash", #"Content-Disposition: form-data; name="a\""#, "a\\"),
        acceptedHead("unquoted UTF-8", "Content-Disposition: form-data; name=文", "文"),
        acceptedHead("%0D%0A", #"Content-Disposition: form-data; name="a%0D%0Ab""#, "a%0D%0Ab"),
        disposition("two bare backslashes", #"name="f\"; filename="a\""#, name: "f\\", filename: "a\\"),
        disposition("bare in the name", #"name="f\"; filename="; b.jpg""#, name: "f\\", filename: "; b.jpg"),
        disposition("quotes in both", #"name="f\""; filename="\"a\".jpg""#, name: "f\"", filename: "\"a\".jpg"),
        ParserCase(
            "a part without content or empty line",
            "--XbndX\r\nContent-Disposition: form-data; name=a\r\n\r\n--XbndX--\r\n",
            .parts([.text("a", "")])
        ),
        acceptedContent("an empty part", ""),
        acceptedContent("line ends only", "\r\n\r\n\r"),
        acceptedContent("near misses", "--Xbnd\r\n--Xbnd\r\r\n--Xbn\r\n-XbndX\r\n-\n--XbndX\n--XbndX--"),
        ParserCase(
            "an epilogue that looks like a part",
            data: base(close: "\r\n--XbndX--\r\n--XbndX\r\n"),
            .parts([plainPart])
        ),
        ParserCase("a preamble with near misses", data: base(before: "\r\r\n--Xbnd\r\n-\r\n"), .parts([plainPart])),
        ParserCase("padding after the end of the body", "--XbndX-- \t", .parts([])),
    ]
}
