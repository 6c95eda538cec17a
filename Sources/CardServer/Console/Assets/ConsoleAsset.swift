import CardModel
import Crypto
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore

/// The style sheet, the script or the icon: a file beside this one. A browser may cache it, as its path changes with its
/// content.
struct ConsoleAsset: Sendable {
    let path: ConsolePath
    private let type: String
    private let bytes: [UInt8]

    private init(_ path: String, _ type: String, _ bytes: [UInt8]) {
        let digest = Data(SHA256.hash(data: bytes)).prefix(6).hexadecimal
        self.path = ConsolePath(path, [("v", digest)])
        self.type = type
        self.bytes = bytes
    }

    static let styles = Self("/console/console.css", "text/css; charset=utf-8", PackageResources.console_css)
    static let script = Self("/console/console.js", "text/javascript; charset=utf-8", PackageResources.console_js)
    static let icon = Self("/console/icon.svg", "image/svg+xml", PackageResources.icon_svg)

    var response: Response {
        let headers: HTTPFields = [.cacheControl: "public, max-age=31536000, immutable"]
        return Response(ByteBuffer(bytes: self.bytes), self.type, headers: headers)
    }
}
