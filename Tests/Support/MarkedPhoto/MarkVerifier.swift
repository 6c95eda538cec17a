import Foundation
import Synchronization

/// A verification service in the test's own process that reads the marks of photos and answers as the vendor does.
///
/// ```swift
/// try await MarkVerifier().serving { url in … }
/// ```
package final class MarkVerifier: Sendable {
    /// What a test has it answer about a photo, at once or after an event; `nil` reads the mark.
    package typealias Script = @Sendable (MarkedPhoto) async -> FaultReply?

    private let dialect: MarkDialect
    private let (key, secret): (String, String)
    private let state: Mutex<(photos: [MarkedPhoto], script: Script)>

    /// Makes a service with one account.
    package init(
        _ dialect: MarkDialect = .faceIDv1,
        key: String = "the-key",
        secret: String = "the-secret",
        script: @escaping Script = { _ in nil }
    ) {
        (self.dialect, self.key, self.secret) = (dialect, key, secret)
        self.state = Mutex(([], script))
    }

    /// The photos that it was asked about, in order.
    package var photos: [MarkedPhoto] { self.state.withLock { $0.photos } }

    /// Has it answer otherwise from now on.
    package func answer(_ script: @escaping Script) { self.state.withLock { $0.script = script } }

    /// Serves for as long as a function runs.
    package func serving<Value: Sendable>(_ body: (_ url: String) async throws -> Value) async throws -> Value {
        try await FaultServer { _, _ in .answerLater { await self.reply(to: $0) } }.serving { address in
            try await body(address + self.dialect.path)
        }
    }

    private func reply(to request: ReceivedRequest) async -> FaultReply {
        let form = PostedForm(request)
        guard self.admits(form) else { return self.dialect.error("AUTHENTICATION_ERROR", status: "401 Unauthorized") }
        guard let image = form[data: self.dialect.imagePart] else {
            return self.dialect.error("MISSING_ARGUMENTS: \(self.dialect.imagePart)", status: "400 Bad Request")
        }
        guard let photo = MarkedPhoto(jpeg: image) else { return self.dialect.answer(about: nil) }
        let script = self.state.withLock { state in
            state.photos.append(photo)
            return state.script
        }
        return await script(photo) ?? self.dialect.answer(about: photo)
    }

    /// Whether a form has the account's key and secret, or a signature with them: `Base64(HMAC-SHA1(raw) || raw)`.
    private func admits(_ form: PostedForm) -> Bool {
        guard let sign = form["sign"] else { return form["api_key"] == self.key && form["api_secret"] == self.secret }
        let raw = Data(base64Encoded: sign).map { String(decoding: $0.dropFirst(20), as: UTF8.self) } ?? ""
        return form["sign_version"] == "hmac_sha1" && raw.hasPrefix("a=\(self.key)&")
            && sign == RequestSignature.value(of: raw, secret: self.secret)
    }
}

/// How the vendor's services ask and answer.
package enum MarkDialect: String, CaseIterable, Sendable {
    case faceIDv1 = "faceid-v1"
    case faceppv1 = "facepp-v1"
    case faceIDv3 = "faceid-v3"

    var path: String {
        switch self {
        case .faceIDv1: "/faceid/v1/ocridcard"
        case .faceppv1: "/cardpp/v1/ocridcard"
        case .faceIDv3: "/faceid/v3/ocridcard"
        }
    }

    var imagePart: String { self == .faceppv1 ? "image_file" : "image" }

    func error(_ message: String, status: String) -> FaultReply {
        let key = self == .faceIDv3 ? "error" : "error_message"
        return Self.reply(["request_id": "specimen", "time_used": 1, key: message], status: status)
    }

    /// What was read, all of it genuine and certain; no card without a mark.
    package func answer(about photo: MarkedPhoto?) -> FaultReply {
        var answer: [String: Any] = ["request_id": "specimen", "time_used": 1]
        switch self {
        case .faceIDv1: if let photo { answer.merge(self.card(photo)) { $1 } }
        case .faceppv1: answer["cards"] = photo.map { [self.card($0)] } ?? []
        case .faceIDv3:
            answer["result"] = photo == nil ? 1002 : 1001
            if let photo { answer.merge(Self.dictionaries(photo)) { $1 } }
        }
        return Self.reply(answer, status: "200 OK")
    }

    private static func reply(_ object: [String: Any], status: String) -> FaultReply {
        // Texts, numbers and containers of them always make JSON.
        let body = (try? JSONSerialization.data(withJSONObject: object)) ?? Data()
        return .json(String(decoding: body, as: UTF8.self), status: status)
    }

    /// The fields as FaceID v1 and Face++ give them.
    private func card(_ photo: MarkedPhoto) -> [String: Any] {
        let holder = photo.holder
        var card: [String: Any] = [
            "legality": ["ID Photo": 0.99, "Temporary ID Photo": 0.01, "Photocopy": 0, "Screen": 0, "Edited": 0]
        ]
        if self == .faceppv1 { card["type"] = 1 }
        guard photo.side == .front else {
            let days = [holder.validity.first, holder.validity.last].map {
                "\($0.prefix(4)).\($0.dropFirst(4).prefix(2)).\($0.suffix(2))"
            }
            return card.merging(["side": "back", "issued_by": holder.issuer, "valid_date": days.joined(separator: "-")])
            {
                $1
            }
        }
        let (year, month, day) = (holder.birth[0], holder.birth[1], holder.birth[2])
        card["birthday"] =
            self == .faceppv1
            ? "\(year)-0\(month)-0\(day)"
            : ["year": "\(year)", "month": "\(month)", "day": "\(day)"] as [String: String]
        let fields = [
            "side": "front", "name": holder.name, "gender": holder.gender, "race": holder.ethnicity,
            "address": holder.address, "id_card_number": holder.number,
        ]
        return card.merging(fields) { $1 }
    }

    /// The fields as FaceID v3 gives them, a dictionary each.
    private static func dictionaries(_ photo: MarkedPhoto) -> [String: Any] {
        let holder = photo.holder
        let legality = [
            "ID_Photo": 0.99, "Temporary_ID_Photo": 0.01, "Photocopy": 0, "Screen": 0, "Edited": 0,
            "ID_Photo_Threshold": 0.8,
        ]
        let texts =
            photo.side == .front
            ? [
                "name": holder.name, "gender": holder.gender, "nationality": holder.ethnicity,
                "birth_year": "\(holder.birth[0])", "birth_month": "\(holder.birth[1])",
                "birth_day": "\(holder.birth[2])", "address": holder.address, "idcard_number": holder.number,
            ]
            : [
                "issued_by": holder.issuer, "valid_date_start": holder.validity.first,
                "valid_date_end": holder.validity.last,
            ]
        let fields: [String: Any] = texts.mapValues { ["result": $0, "quality": 1, "logic": 0] as [String: Any] }
        return fields.merging(["side": photo.side == .front ? 0 : 1, "legality": legality]) { $1 }
    }
}
