import CardModel
import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// The style sheet and the script; a browser may keep them, as their addresses change with what is in them.
struct ConsoleAsset: Sendable {
    let path: ConsolePath
    private let type: String
    private let text: String

    private init(_ path: String, _ type: String, _ text: String) {
        let digest = Data(SHA256.hash(data: Data(text.utf8))).prefix(6).hexadecimal
        self.path = ConsolePath(path, [("v", digest)])
        self.type = type
        self.text = text
    }

    static let styles = Self("/console/console.css", "text/css; charset=utf-8", Self.css)
    static let script = Self("/console/console.js", "text/javascript; charset=utf-8", Self.js)

    var response: Response {
        Response(
            status: .ok,
            headers: [.contentType: self.type, .cacheControl: "public, max-age=31536000, immutable"],
            body: .init(byteBuffer: ByteBuffer(string: self.text))
        )
    }
}
