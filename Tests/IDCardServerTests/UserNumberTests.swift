import Foundation
import IDCardTesting
import Testing

@testable import IDCardServer

/// A card that needs a user account and names none is not verified and paid for, only to wait for ever.
@Suite(.timeLimit(.minutes(Sanitizer.minutes(1))))
struct UserNumberTests {
    private static func image(_ user: String?) -> RawRequest {
        let header = user.map { [("Card-User-No", $0)] } ?? []
        return .image(Specimen.jpeg(), token: ServerHarness.submit.reveal(), headers: header)
    }

    private static func form(_ user: String?) -> RawRequest {
        let field = user.map { [(name: "user_no", filename: String?.none, bytes: Data($0.utf8))] } ?? []
        let parts = [
            (name: "business_no", filename: String?.none, bytes: Data("CASE-1".utf8)),
            (name: "image", filename: "a.jpg", bytes: Specimen.jpeg()),
        ]
        return .form(field + parts, token: ServerHarness.submit.reveal())
    }

    private static let requests: [@Sendable (String?) -> RawRequest] = [
        { Self.image($0) }, { Self.form($0) }, { SpecimenWebhook(id: "m-1", userNumber: $0).request },
    ]

    @Test("Without one it is refused where none is configured", arguments: requests.indices, [nil, "%20", "U-1"])
    func required(index: Int, user: String?) async throws {
        // Only in a header field is a blank written like that.
        let user = index > 0 ? user?.replacing("%20", with: " ") : user
        let secret = try WebhookSecret(SpecimenWebhook.secret.base64EncodedString())
        try await ServerHarness.with(
            { configuration in
                configuration.requiresUserNumber = true
                configuration.webhookSecrets = [secret]
            }
        ) { (harness) async throws in
            let response = try await harness.send(Self.requests[index](user))
            #expect(response.status == (user == "U-1" ? 202 : 422))
            #expect(response.code == (user == "U-1" ? nil : "user_no_missing"))
            #expect(harness.intake.receptions.count == (user == "U-1" ? 1 : 0))
        }
    }

    @Test("It is not asked for where one is configured for all", arguments: requests.indices)
    func optional(index: Int) async throws {
        let secret = try WebhookSecret(SpecimenWebhook.secret.base64EncodedString())
        try await ServerHarness.with({ $0.webhookSecrets = [secret] }) { (harness) async throws in
            #expect(try await harness.send(Self.requests[index](nil)).status == 202)
        }
    }
}
