import Foundation
import IDCardCore
import IDCardTesting
import Testing

@testable import OutboundHTTP

/// The values around a request.
struct ValueTests {
    @Test(
        "Retry-After is seconds or a date, clamped to six hours",
        arguments: [
            ("0", Duration.seconds(0)), ("7", .seconds(7)), (" 7 ", .seconds(7)), ("21600", .seconds(21_600)),
            ("21601", .seconds(21_600)), ("99999999999999999999", .seconds(21_600)),
            ("Sun, 06 Nov 1994 08:49:37 GMT", .zero), ("Mon, 01 Jan 2024 00:00:10 GMT", .seconds(10)),
            ("Thu, 29 Feb 2024 00:00:00 GMT", .seconds(21_600)), ("Sun, 31 Dec 2023 23:59:59 GMT", .zero),
            ("Monday, 01-Jan-24 00:00:10 GMT", .seconds(10)), ("Sunday, 06-Nov-94 08:49:37 GMT", .zero),
            ("Saturday, 31-Dec-73 00:00:00 GMT", .seconds(21_600)), ("Tuesday, 01-Jan-75 00:00:00 GMT", .zero),
            ("Mon Jan  1 00:00:10 2024", .seconds(10)), ("Mon Jan 15 00:00:00 2024", .seconds(21_600)),
            ("Sun Nov  6 08:49:37 1994", .zero),
        ]
    )
    func retryAfter(value: String, expected: Duration) {
        #expect(RetryAfter.parse(value, now: Timestamp(millisecondsSinceEpoch: 1_704_067_200_000)) == expected)
    }

    @Test(
        "A Retry-After of neither form is absent",
        arguments: [
            "", "soon", "-1", "1.5", "+5", "Mon, 30 Feb 2024 00:00:00 GMT", "Mon, 01 Jan 2024 24:00:00 GMT",
            "Mon, 01 Jan 2024 00:00:00 UTC", "Monday, 01-Jan-24 00:00:00 UTC", "Monday, 01-Jan-2024 00:00:00 GMT",
            "Mon Jan 32 00:00:10 2024", "Mon Jan  1 00:00:10 24", "Monday, 01-Foo-24 00:00:10 GMT",
        ]
    )
    func retryAfterAbsent(value: String) {
        #expect(RetryAfter.parse(value, now: Timestamp(millisecondsSinceEpoch: 1_704_067_200_000)) == nil)
    }

    @Test(
        "Dates agree with Foundation's calendar over four centuries",
        arguments: [1970, 1999, 2000, 2001, 2024, 2100, 2399]
    )
    func dates(year: Int) throws {
        for (month, name) in [(1, "Jan"), (2, "Feb"), (3, "Mar"), (12, "Dec")] {
            var calendar = Calendar(identifier: .gregorian)
            calendar.timeZone = .gmt
            let date = try #require(calendar.date(from: DateComponents(year: year, month: month, day: 28, hour: 23)))
            let now = Timestamp(date).advanced(by: .seconds(-100))
            #expect(RetryAfter.parse("Xyz, 28 \(name) \(year) 23:00:00 GMT", now: now) == .seconds(100))
        }
    }

    @Test(
        "A URL is checked and its empty path replaced",
        arguments: [
            ("http://h", "http://h/p/q", "h:80"), ("https://h/", "https://h/p/q", "h:443"),
            ("http://h:8080/x?a=b", "http://h:8080/x?a=b", "h:8080"), ("HTTP://h:1/", "HTTP://h:1/p/q", "h:1"),
        ]
    )
    func endpoint(text: String, url: String, authority: String) throws {
        let endpoint = try RemoteEndpoint(text, defaultPath: "/p/q")
        #expect(endpoint.url.absoluteString == url)
        #expect(endpoint.authority == authority)
    }

    @Test(
        "A URL that nothing can be sent to is refused without being repeated",
        arguments: [
            "", "canary", "ftp://canary/", "http://", "http:///canary", "https://u:canary@h/", "http://h/#canary",
        ]
    )
    func invalidURL(text: String) throws {
        let error = try #require(throws: OutboundHTTPError.self) { try RemoteEndpoint(text) }
        #expect(error.code == .invalidURL)
        #expect(!error.description.contains("canary"))
    }

    @Test("A failure becomes the class that the phase and the call allow", arguments: HTTPFailure.Code.allCases)
    func classes(code: HTTPFailure.Code) {
        let before = HTTPFailure(code, phase: .notSent, message: "m").remoteFailure(afterSend: .unknown)
        let after = HTTPFailure(code, phase: .afterSend, message: "m").remoteFailure(afterSend: .unknown)
        let concernsAll = code.isLocal || code == .tlsClientCertificate
        #expect(before.failureClass == (concernsAll ? .stop : .notSent))
        #expect(after.failureClass == (concernsAll ? .stop : .unknown))
        #expect(before.code == code.description)
        #expect(before.message == "m")
    }

    @Test(
        "Every message names the remote by host and port only, and says what to do",
        arguments: HTTPFailure.Code.allCases
    )
    func messages(code: HTTPFailure.Code) throws {
        let endpoint = try RemoteEndpoint("https://host.example:8443/canary-path?key=canary-query")
        let faults = FaultClassifier(endpoint: endpoint, maximumReplyBytes: 10)
        let message = faults.message(for: code, phase: .notSent, cause: nil)
        #expect(!message.contains("canary"))
        #expect(message.contains(":"))
        #expect(message.contains("host.example:8443") || code == .formUnreadable)
    }

    @Test("A reply and a JSON value do not print what they hold")
    func redaction() throws {
        let reply = HTTPReply(status: 200, body: Data(#"{"name":"canary"}"#.utf8))
        let json = try #require(JSONValue(parsing: reply.body))
        var dumped = ""
        dump(reply, to: &dumped)
        dump(json, to: &dumped)
        let texts = ["\(reply)", String(reflecting: reply), "\(json)", String(reflecting: json), dumped]
        for text in texts {
            #expect(!text.contains("canary"))
        }
        #expect("\(reply)" == "HTTPReply(200, 17 bytes)")
    }

    @Test("JSON is read whatever the type of its fields")
    func json() throws {
        let text = #"{"s":" x ","i":7,"d":0.25,"n":"0.25","z":null,"t":true,"a":[1,"2"],"o":{"k":""}}"#
        let object = try #require(JSONValue(parsing: Data(text.utf8))?.object)
        #expect(object["s"]?.text == "x")
        #expect(object["i"]?.text == "7")
        #expect(object["i"]?.double == 7)
        #expect(object["d"]?.double == 0.25)
        #expect(object["n"]?.double == 0.25)
        #expect(object["z"] == .null)
        #expect(object["t"] == .boolean(true))
        #expect(object["t"]?.text == nil)
        #expect(object["a"] == .array([.integer(1), .string("2")]))
        #expect(object["o"]?.object?["k"]?.text == nil)
    }

    @Test(
        "What is not one JSON value is nothing",
        arguments: ["", "<html>", "{", #"{"a":1}x"#, #"{"a":}"#, "\u{FF}"]
    )
    func notJSON(text: String) {
        #expect(JSONValue(parsing: Data(text.utf8)) == nil)
    }
}
