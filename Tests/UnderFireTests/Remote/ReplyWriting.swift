import Foundation
import IDCardTesting
import Testing

/// How a scripted backend writes its answers.
struct ReplyWriting: Sendable, CustomTestStringConvertible {
    /// The name in test reports.
    let testDescription: String
    private let write: @Sendable (_ codes: [String]) -> FaultReply

    private init(_ name: String, _ write: @escaping @Sendable (_ codes: [String]) -> FaultReply) {
        self.testDescription = name
        self.write = write
    }

    /// The answer to a form: one code for a single document, else one for each under `ITEMS`.
    func reply(to codes: [String]) -> FaultReply { self.write(codes) }

    /// A JSON object.
    static let json = ReplyWriting("JSON") { .json(Self.jsonText($0)) }
    /// An XML document.
    static let xml = ReplyWriting("XML") { FaultReply(headers: ["Content-Type: text/xml"], body: Self.xmlText($0)) }

    /// Answers that are encrypted by a function beforehand, for every list of codes that will be needed.
    static func sealed(
        _ name: String,
        by seal: (String) async throws -> String,
        as plain: (_ codes: [String]) -> String,
        for lists: [[String]]
    ) async throws -> ReplyWriting {
        var sealed: [[String]: String] = [:]
        for codes in lists { sealed[codes] = "\"" + (try await seal(plain(codes))) + "\"" }
        let table = sealed
        return ReplyWriting(name) { FaultReply(body: table[$0] ?? "not sealed") }
    }

    /// The JSON of codes.
    static func jsonText(_ codes: [String]) -> String {
        guard codes.count > 1 else { return #"{"RETCODE":"\#(codes.first ?? "E0")","RETMSG":"m"}"# }
        let items = codes.map { #"{"RETCODE":"\#($0)","RETMSG":"m"}"# }.joined(separator: ",")
        return #"{"RETCODE":"000000","RETMSG":"m","ITEMS":[\#(items)]}"#
    }

    /// The XML of codes.
    static func xmlText(_ codes: [String]) -> String {
        let declaration = #"<?xml version="1.0" encoding="UTF-8"?>"#
        guard codes.count > 1 else {
            return "\(declaration)<R><RETCODE>\(codes.first ?? "E0")</RETCODE><RETMSG>m</RETMSG></R>"
        }
        let items = codes.map { "<ITEM><RETCODE>\($0)</RETCODE></ITEM>" }.joined()
        return "\(declaration)<R><RETCODE>000000</RETCODE><ITEMS>\(items)</ITEMS></R>"
    }
}
