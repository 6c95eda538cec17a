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

    static let icon = Self(
        "/console/icon.svg",
        "image/svg+xml",
        """
        <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect x="2" y="6" width="28" height="20" rx="3" fill="#0b5cad"/>\
        <circle cx="11" cy="14" r="3.5" fill="#fff"/><path d="M5 23c1-5 11-5 12 0zM19 12h8v2h-8zM19 17h6v2h-6z" fill="#fff"/></svg>
        """
    )

    var response: Response {
        Response(
            status: .ok,
            headers: [.contentType: self.type, .cacheControl: "public, max-age=31536000, immutable"],
            body: .init(byteBuffer: ByteBuffer(string: self.text))
        )
    }
}
