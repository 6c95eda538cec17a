import CardModel
import HTTPTypes
import Hummingbird
import NIOCore

/// Answers in JSON.
enum JSONAnswer {
    /// Makes a response of a value.
    static func response(
        _ value: some Encodable,
        status: HTTPResponse.Status = .ok,
        headers: HTTPFields = HTTPFields()
    ) -> Response {
        var headers = headers
        headers[.contentType] = "application/json"
        return Response(
            status: status,
            headers: headers,
            body: .init(byteBuffer: ByteBuffer(bytes: JSONText.data(value)))
        )
    }
}

/// The parameters behind the question mark.
struct QueryParameters {
    private let values: [(name: String, value: String)]

    /// - Throws: ``Problem``: `parameter_invalid` for one that is not known: a mistyped filter would show too much.
    init(_ request: Request, known: Set<String>) throws {
        self.values = request.uri.queryParameters.map { (String($0.key), String($0.value)) }
        guard self.values.allSatisfy({ known.contains($0.name) }) else {
            throw Problem(.parameterInvalid, "Known are \(known.sorted().joined(separator: ", ")).")
        }
    }

    /// All values of a parameter.
    func all(_ name: String) -> [String] { self.values.filter { $0.name == name }.map(\.value) }

    /// The value of a parameter that may be given once.
    ///
    /// - Throws: ``Problem``: `parameter_invalid`.
    func single(_ name: String) throws -> String? {
        let values = self.all(name)
        guard values.count <= 1 else { throw Problem(.parameterInvalid, "\(name) is given once.") }
        return values.first
    }

    /// A parameter that is `true` or `false`, false if it is missing.
    ///
    /// - Throws: ``Problem``: `parameter_invalid`.
    func flag(_ name: String) throws -> Bool {
        switch try self.single(name) {
        case nil, "false": false
        case "true": true
        default: throw Problem(.parameterInvalid, "\(name) is true or false.")
        }
    }
}

extension String {
    /// Of a content type the type alone, in lower case.
    var mediaType: String { self.prefix { $0 != ";" && $0 != " " }.lowercased() }
}
