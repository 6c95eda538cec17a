import Foundation
import MultipartForm

extension ParserCase {
    private static let head = "Content-Disposition: form-data; "

    private static func field(_ head: String, _ content: String = "v") -> Data {
        Data("--XbndX\r\n\(head)\r\n\r\n\(content)\r\n--XbndX--\r\n".utf8)
    }

    private static func refusedHead(_ title: String, _ head: String, _ code: MultipartFormError.Code) -> ParserCase {
        ParserCase(title, data: self.field(head), .refused(code))
    }

    /// What must be refused, beside the thirty cases.
    static let refusals: [ParserCase] = [
        refused("a cut boundary line", .truncated, "--XbndX"),
        refused("a boundary line without its LF", .truncated, "--XbndX\r"),
        refused("one closing dash", .truncated, "--XbndX-"),
        refused("a closing line cut in its end", .truncated, "--XbndX--\r"),
        refused("one dash and a line end", .malformedDelimiter, "--XbndX-\r\n"),
        refused("text after the closing dashes", .malformedDelimiter, "--XbndX--x\r\n"),
        refused("three closing dashes", .malformedDelimiter, "--XbndX---\r\n"),
        refused("LF after the closing dashes", .malformedDelimiter, "--XbndX--\n"),
        refused("CR after a boundary", .malformedDelimiter, "--XbndX\rX\r\n"),
        refused("dashes after padding", .malformedDelimiter, "--XbndX --\r\n"),
        refused("a longer line before the first part", .malformedDelimiter, "--XbndXX\r\n--XbndX--\r\n"),
        refused("no boundary at all", .truncated, "name=value&other=value"),
        refused("a boundary in the middle of a line", .truncated, "x--XbndX--\r\n"),
        refused("another boundary's letters", .truncated, "--xbndx--\r\n"),
        refused("head without an end", .truncated, "--XbndX\r\nContent-Disposition: form-data\r\n"),
        refused("LF before the closing delimiter", .truncated, "--XbndX\r\n\(head)name=a\r\n\r\nv\n--XbndX--\r\n"),
        refused("LF lines after the first", .malformedHeader, "--XbndX\r\n\(head)name=a\n\nv\r\n--XbndX--\r\n"),
        refusedHead("an empty name", #"Content-Disposition: form-data; name="""#, .missingName),
        refusedHead("only name*", "Content-Disposition: form-data; name*=UTF-8''a", .missingName),
        refusedHead("no disposition", "Content-Type: text/plain", .invalidDisposition),
        refusedHead("no header at all", "", .invalidDisposition),
        refusedHead("another disposition", #"Content-Disposition: attachment; name="a""#, .invalidDisposition),
        refusedHead("a disposition without value", "Content-Disposition:", .invalidDisposition),
        refusedHead("two dispositions", "\(head)name=a\r\n\(head)name=b", .invalidDisposition),
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
        refusedHead("two types", "\(head)name=a\r\nContent-Type: a/b\r\ncontent-type: c/d", .malformedHeader),
        refusedHead(
            "quoted-printable",
            "\(head)name=a\r\nContent-Transfer-Encoding: quoted-printable",
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
        acceptedHead("a fake parameter in quotes", head + #"name="a; filename=b""#, "a; filename=b"),
        acceptedHead("an escaped fake parameter", head + #"name="a\"; filename=\"b""#, "a\"; filename=\"b"),
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
        plain("an epilogue that looks like a part", base(close: "\r\n--XbndX--\r\n--XbndX\r\n")),
        plain("a preamble with near misses", base(before: "\r\r\n--Xbnd\r\n-\r\n")),
        ParserCase("padding after the end of the body", "--XbndX-- \t", .parts([])),
    ]
}
