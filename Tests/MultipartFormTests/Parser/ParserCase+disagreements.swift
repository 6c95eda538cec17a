import Foundation
import MultipartForm

extension ParserCase {
    /// The thirty cases in which eighteen parsers were compared, with our decision on each (see ``MultipartParser``).
    static let disagreements: [ParserCase] = names + framing

    private static let names: [ParserCase] = [
        ParserCase("01 plain", data: base(), .parts([plainPart])),
        disposition("02 %22", #"name="f"; filename="q%22uote.jpg""#, filename: "q%22uote.jpg"),
        disposition("03 escaped quote", #"name="f"; filename="q\"uote.jpg""#, filename: "q\"uote.jpg"),
        disposition("04 raw backslash", #"name="f"; filename="back\slash.jpg""#, filename: "back\\slash.jpg"),
        disposition("05 two backslashes", #"name="f"; filename="back\\slash.jpg""#, filename: "back\\slash.jpg"),
        disposition("06 UTF-8", #"name="文"; filename="护照 é😀.jpg""#, name: "文", filename: "护照 é😀.jpg"),
        disposition("07 only filename*", "name=\"f\"; filename*=UTF-8''plain.jpg", filename: nil),
        disposition("08 both", "name=\"f\"; filename*=UTF-8''evil.exe; filename=\"a.jpg\"", filename: "a.jpg"),
        ParserCase(
            "15 no name",
            data: base(disposition: #"Content-Disposition: form-data; filename="plain.jpg""#),
            .refused(.missingName)
        ),
        ParserCase(
            "19 base64",
            data: base(more: "Content-Transfer-Encoding: base64\r\n"),
            .refused(.unsupportedTransferEncoding)
        ),
        ParserCase(
            "25 two names",
            data: base(disposition: #"Content-Disposition: form-data; name="a"; name="b""#),
            .refused(.invalidDisposition)
        ),
        ParserCase(
            "25 two file names",
            data: base(disposition: #"Content-Disposition: form-data; name="a"; filename="b"; FileName="c""#),
            .refused(.invalidDisposition)
        ),
        disposition("26 path", #"name="f"; filename="C:\dir\file.jpg""#, filename: "C:\\dir\\file.jpg"),
        disposition("27 unquoted", "name=f; filename=plain.jpg", filename: "plain.jpg"),
        ParserCase(
            "28 empty file name",
            data: base(disposition: #"Content-Disposition: form-data; name="f"; filename="""#, content: Data()),
            .parts([Part("f", "", "image/jpeg", Data())])
        ),
        ParserCase(
            "29 case",
            data: base(disposition: #"CONTENT-disposition: Form-Data; NAME="f"; FILENAME="plain.jpg""#),
            .parts([plainPart])
        ),
        ParserCase(
            "30 LF in a file name",
            data: base(disposition: "Content-Disposition: form-data; name=\"f\"; filename=\"a\nb\""),
            .refused(.malformedHeader)
        ),
    ]

    private static let framing: [ParserCase] = [
        ParserCase("09 no closing delimiter", data: base(close: "\r\n"), .refused(.truncated)),
        ParserCase("10 cut in a part", data: base(close: ""), .refused(.truncated)),
        ParserCase(
            "11 LF only",
            data: Data("--XbndX\nContent-Disposition: form-data; name=\"f\"\n\nDATA\n--XbndX--\n".utf8),
            .refused(.malformedDelimiter)
        ),
        ParserCase("12 preamble", data: base(before: "This is a preamble.\r\n"), .parts([plainPart])),
        ParserCase("13 epilogue", data: base(close: "\r\n--XbndX--\r\nepilogue\r\n"), .parts([plainPart])),
        ParserCase(
            "14 a longer line",
            data: base(content: Data("DATA\r\n--XbndXtra line\r\nmore".utf8)),
            .refused(.malformedDelimiter)
        ),
        ParserCase(
            "16 repeated names",
            data: Data(
                ("--XbndX\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n"
                    + "--XbndX\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n2\r\n--XbndX--\r\n").utf8
            ),
            .parts([.text("a", "1"), .text("a", "2")])
        ),
        ParserCase("17 no parts", "--XbndX--\r\n", .parts([])),
        ParserCase("18 no bytes", "", .refused(.truncated)),
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
        ParserCase(
            "22 padding",
            data: base(open: "--XbndX \t \r\n", close: "\r\n--XbndX--  \t\r\n"),
            .parts([plainPart])
        ),
        ParserCase("23 no final CR LF", data: base(close: "\r\n--XbndX--"), .parts([plainPart])),
        ParserCase("24 leading CR LF", data: base(before: "\r\n"), .parts([plainPart])),
    ]

    private static let longest = "(a')+_,-./:=?" + String(repeating: "Z", count: 57)
}
