import CardModel
import Foundation
import MultipartForm
import TestSupport

@testable import CardRemote

extension Message {
    /// Whether the text that a person reads holds a text.
    func contains(_ text: some StringProtocol) -> Bool { self.text().contains(text) }
}

extension HTTPExchange {
    /// The reply, if there is one.
    var reply: HTTPReply? { if case .reply(let reply) = self { reply } else { nil } }
    /// The failure, if this is one.
    var failure: HTTPFailure? { if case .failure(let failure) = self { failure } else { nil } }
}

extension DeliveryOutcome {
    /// The failure, if this is one that is no refused TOKEN.
    var failure: RemoteFailure? { if case .failed(let failure) = self { failure } else { nil } }
    /// The failure, if this is a refused TOKEN.
    var tokenExpired: RemoteFailure? { if case .tokenExpired(let failure) = self { failure } else { nil } }
    /// The answers card by card, if there are some.
    var items: [DeliveryItemOutcome]? { if case .items(let items) = self { items } else { nil } }
}

extension DeliveryItemOutcome {
    /// The failure, if this is one.
    var failure: RemoteFailure? {
        switch self {
        case .rejected(let failure), .notApplied(let failure), .unknown(let failure): failure
        case .accepted: nil
        }
    }
}

extension HTTPFailure {
    /// Phase and code, such as `afterSend connectionClosed`.
    var kind: String { "\(self.phase) \(self.code)" }
}

extension RemoteFailure {
    /// Class and code, such as `transient connection_closed`.
    var kind: String { "\(self.failureClass) \(self.code)" }
}

extension VerificationOutcome {
    /// The reading, if there is one.
    var reading: CardReading? { if case .read(let reading) = self { reading } else { nil } }
    /// The failure, if this is one.
    var failure: RemoteFailure? { if case .failed(let failure) = self { failure } else { nil } }
}

extension MessageMask {
    /// Masks values that were sent, and confidential ones.
    convenience init(sent: [String] = [], confidential: [String] = []) {
        self.init(
            OutboundDelivery(
                idempotencyKey: "key",
                boundary: "boundary",
                parts: sent.map { .text($0, name: "FIELD") },
                images: [:],
                confidential: confidential.map { Redacted($0) }
            )
        )
    }
}

/// A form with a file of so many bytes.
func makeForm(fileBytes: Int = 3000) throws -> MultipartForm {
    try MultipartForm(
        parts: [
            .text("a", name: "field"),
            .file(Data(count: fileBytes), name: "file", filename: "f.jpg", contentType: "image/jpeg"),
        ],
        boundary: Boundary("test-boundary")
    )
}

/// Runs a test with an endpoint and shuts it down afterwards.
func withEndpoint<Value>(
    _ url: String,
    _ change: (inout EndpointSettings) -> Void = { _ in },
    run: (HTTPEndpoint) async throws -> Value
) async throws -> Value {
    var settings = EndpointSettings(url: url)
    change(&settings)
    let endpoint = try HTTPEndpoint(settings, section: "test")
    let result: Result<Value, any Error>
    do { result = .success(try await run(endpoint)) } catch { result = .failure(error) }
    await endpoint.shutdown()
    return try result.get()
}

/// Posts one form to a server that follows one script.
func exchange(
    _ script: FaultScript,
    fileBytes: Int = 3000,
    timeout: Duration = .seconds(20)
) async throws -> HTTPExchange {
    try await withFaultServer(script) { _, port in
        try await withEndpoint("http://127.0.0.1:\(port)/", { $0.timeout = timeout }) {
            await $0.post(.form(try makeForm(fileBytes: fileBytes)))
        }
    }
}

extension RetcodeTable {
    /// Takes lists.
    init(
        success: Set<String> = ["000000", "0000", "0"],
        alreadyExists: Set<String> = [],
        tokenExpired: Set<String> = [],
        retryable: Set<String> = [],
        rejected: Set<String> = []
    ) {
        self.init()
        self.success = success
        self.alreadyExists = alreadyExists
        self.tokenExpired = tokenExpired
        self.retryable = retryable
        self.rejected = rejected
    }
}

/// Makes a member with an invented business number.
func makeMember(_ side: CardSide, userNumber: String? = "canary-user", number: String = "LOAN-2024-0001")
    -> DeliveryMember
{
    DeliveryMember(
        card: CardID(rawValue: "card-\(number)-\(side.rawValue)"),
        side: side,
        businessNumber: BusinessNumber(stored: number),
        userNumber: userNumber.map { Redacted($0) }
    )
}

/// Settings of a backend on this machine.
func makeDeliverySettings(
    port: Int = 9,
    layout: DeliveryLayoutKind = .single,
    token: TokenSource = .value(Redacted("canary-token"))
) -> DeliverySettings {
    var settings = DeliverySettings(endpoint: EndpointSettings(url: "http://127.0.0.1:\(port)/upload"), token: token)
    settings.layout = layout
    return settings
}

/// Runs a test with a backend and shuts it down afterwards.
func withBackend<Value>(
    port: Int = 9,
    token: TokenSource = .value(Redacted("canary-token")),
    _ change: (inout DeliverySettings) -> Void = { _ in },
    run: (BusinessBackend) async throws -> Value
) async throws -> Value {
    var settings = makeDeliverySettings(port: port, token: token)
    change(&settings)
    let backend = try BusinessBackend(settings)
    let result: Result<Value, any Error>
    do { result = .success(try await run(backend)) } catch { result = .failure(error) }
    await backend.shutdown()
    return try result.get()
}

/// Makes a delivery of images that are all alike.
func makeDelivery(
    with backend: BusinessBackend,
    _ members: [DeliveryMember] = [makeMember(.front)],
    key: String = "8e03978e-40d5-43e8-bc93-6894a57f9324",
    confidential: [String] = []
) async throws -> OutboundDelivery {
    let parts = try await backend.parts(for: members)
    let jpeg = Data([0xFF, 0xD8, 0xFF, 0x00, 0x0D, 0x0A, 0xFF, 0xD9])
    let images = Dictionary(uniqueKeysWithValues: members.map { ($0.card, jpeg) })
    return OutboundDelivery(
        idempotencyKey: key,
        layout: backend.layout,
        body: backend.body,
        boundary: try backend.boundary(for: key, parts: parts, images: images),
        parts: parts,
        images: images,
        confidential: confidential.map { Redacted($0) }
    )
}
