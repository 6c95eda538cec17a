import Foundation
import MultipartForm

extension ParserCase {
    /// The thirty cases in which eighteen parsers were compared, with our decision on each (see ``MultipartParser``).
    static let disagreements: [ParserCase] = names + framing

    private static let names: [ParserCase] = [
        plain("01 plain", base()),
        disposition("02 %22", #"name="f"; filename="q%22uote.jpg""#, filename: "q%22uote.jpg"),
        disposition("03 escaped quote", #"name="f"; filename="q\"uote.jpg""#, filename: "q\"uote.jpg"),
        disposition("04 raw backslash", #"name="f"; filename="back\slash.jpg""#, filename: "back\\slash.jpg"),
        disposition("05 two backslashes", #"name="f"; filename="back\\slash.jpg""#, filename: "back\\slash.jpg"),
        disposition("06 UTF-8", #"name="文"; filename="护照 é😀.jpg""#, name: "文", filename: "护照 é😀.jpg"),
        disposition("07 only filename*", "name=\"f\"; filename*=UTF-8''plain.jpg", filename: nil),
        disposition("08 both", "name=\"f\"; filename*=UTF-8''evil.exe; filename=\"a.jpg\"", filename: "a.jpg"),
        refused("15 no name", .missingName, base(disposition: form + #"filename="plain.jpg""#)),
        refused("19 base64", .unsupportedTransferEncoding, base(more: "Content-Transfer-Encoding: base64\r\n")),
        refused("25 two names", .invalidDisposition, base(disposition: form + #"name="a"; name="b""#)),
        refused(
            "25 two file names",
            .invalidDisposition,
            base(disposition: form + #"name="a"; filename="b"; FileName="c""#)
        ),
        disposition("26 path", #"name="f"; filename="C:\dir\file.jpg""#, filename: "C:\\dir\\file.jpg"),
        disposition("27 unquoted", "name=f; filename=plain.jpg", filename: "plain.jpg"),
        ParserCase(
            "28 empty file name",
            data: base(disposition: form + #"name="f"; filename="""#, content: Data()),
            .parts([Part("f", "", "image/jpeg", Data())])
        ),
        plain("29 case", base(disposition: #"CONTENT-disposition: Form-Data; NAME="f"; FILENAME="plain.jpg""#)),
        refused("30 LF in a file name", .malformedHeader, base(disposition: form + "name=\"f\"; filename=\"a\nb\"")),
    ]

    private static let form = "Content-Disposition: form-data; "

    private static let framing: [ParserCase] = [
        refused("09 no closing delimiter", .truncated, base(close: "\r\n")),
        refused("10 cut in a part", .truncated, base(close: "")),
        refused("11 LF only", .malformedDelimiter, "--XbndX\n\(form)name=\"f\"\n\nDATA\n--XbndX--\n"),
        plain("12 preamble", base(before: "This is a preamble.\r\n")),
        plain("13 epilogue", base(close: "\r\n--XbndX--\r\nepilogue\r\n")),
        refused("14 a longer line", .malformedDelimiter, base(content: Data("DATA\r\n--XbndXtra line\r\nmore".utf8))),
        ParserCase(
            "16 repeated names",
            "--XbndX\r\n\(form)name=\"a\"\r\n\r\n1\r\n--XbndX\r\n\(form)name=\"a\"\r\n\r\n2\r\n--XbndX--\r\n",
            .parts([.text("a", "1"), .text("a", "2")])
        ),
        ParserCase("17 no parts", "--XbndX--\r\n", .parts([])), refused("18 no bytes", .truncated, ""),
        ParserCase(
            "20 quoted boundary of 70 characters",
            contentType: "multipart/form-data; boundary=\"\(longest)\"",
            data: base(open: "--\(longest)\r\n", close: "\r\n--\(longest)--\r\n"),
            .parts([plainPart])
        ),
        ParserCase(
            "21 boundary of 71 characters",
            contentType: "multipart/form-data; boundary=\"\(longest)Z\"",
            data: base(open: "--\(longest)Z\r\n", close: "\r\n--\(longest)Z--\r\n"),
            .refused(.invalidBoundary)
        ),
        plain("22 padding", base(open: "--XbndX \t \r\n", close: "\r\n--XbndX--  \t\r\n")),
        plain("23 no final CR LF", base(close: "\r\n--XbndX--")), plain("24 leading CR LF", base(before: "\r\n")),
    ]

    private static let longest = "(a')+_,-./:=?" + String(repeating: "Z", count: 57)
}
