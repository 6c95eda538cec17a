import Foundation
import MultipartForm
import Testing

@Suite struct FormDataTypeTests {
    @Test(arguments: [
        "multipart/form-data; boundary=XbndX", "multipart/form-data;boundary=XbndX",
        "MULTIPART/Form-Data; BOUNDARY=\"XbndX\"", "multipart/form-data; charset=utf-8; boundary=XbndX",
        "multipart/form-data; boundary=XbndX; charset=\"a;boundary=evil\"",
        "multipart/form-data ; boundary=XbndX ;",
    ])
    func `a form's content type gives the boundary, quoted or not, in any case, among parameters`(type: String) throws {
        let outcome = try Outcome(ParserCase.base(), contentType: type)
        #expect(outcome.code == nil)
        #expect(outcome.parts.count == 1)
    }

    @Test(arguments: [
        ("boundary=\"a b\"", "a b"), ("boundary=----=_Part_1_2.3", "----=_Part_1_2.3"),
        ("boundary=\"'()+_,-./:=?\"", "'()+_,-./:=?"), ("boundary=a/b:c?d(e)", "a/b:c?d(e)"),
        ("boundary=0", "0"), ("boundary=-", "-"), ("boundary=--", "--"),
    ]) func `a form's content type may hold every character of RFC 2046`(parameter: String, boundary: String) throws {
        let body = ParserCase.base(open: "--\(boundary)\r\n", close: "\r\n--\(boundary)--\r\n")
        for chunks in [Chunks(seed: nil), Chunks(sizes: [1])] {
            let outcome = try Outcome(body, contentType: "multipart/form-data; \(parameter)", chunks: chunks)
            #expect(outcome.code == nil)
            #expect(outcome.parts.map(\.content) == [ParserCase.content])
        }
    }

    @Test(arguments: [
        "", "; charset=utf-8", "; boundary=a; boundary=a", "; boundary=a; Boundary=b", "; boundary=\"\"",
        "; boundary=\"a \"", "; boundary=\"a\\\\b\"", "; boundary=é", "; boundary=\"a\tb\"", "; boundary=a*b",
        "; boundary=\"a\r\nb\"", "; boundary=\"a\u{0}\"", "; boundary*=UTF-8''a",
        "; boundary=" + String(repeating: "a", count: 71),
    ])
    func
        `A form's content type is refused when the boundary is missing, given twice, empty, too long or of other characters`(
            rest: String
        ) throws
    {
        let code = try formErrorCode { _ = try MultipartParser(contentType: "multipart/form-data" + rest) }
        #expect(code == .invalidBoundary)
    }

    @Test(arguments: [
        "", "application/json", "application/x-www-form-urlencoded", "multipart/mixed; boundary=a",
        "multipart/form-data, boundary=a", "multipart/form-data boundary=a", "multipart/form-data; boundary=\"a",
        "multipart/form-data; boundary=", "multipart/form-data; boundary=a, multipart/form-data; boundary=b",
        "multipart/form-data; boundary = a", "multipart/form-dataé; boundary=a", " multipart/form-data; boundary=a",
    ]) func `A form's content type is refused when it is another type or cannot be parsed`(type: String) throws {
        #expect(try formErrorCode { _ = try MultipartParser(contentType: type) } == .notFormData)
    }

    @Test func `A form's content type shows no boundary or type in its errors`() throws {
        for type in ["secret/secret; boundary=a", "multipart/form-data; boundary=sécret"] {
            let error = #expect(throws: MultipartFormError.self) { _ = try MultipartParser(contentType: type) }
            #expect(error.map { "\($0)".contains("cret") } == false)
        }
    }
}
