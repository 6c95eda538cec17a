import CardModel
import Testing

@testable import CardRemote

/// What a host says that an image is coded in, and what its first bytes say.
@Suite(.timeLimit(.minutes(5))) struct FetchCodingTests {
    /// Too large for one request, so that a host is asked for parts beside the beginning.
    private static let image = Specimen.image(2_500_000)

    @Test(arguments: ["aws-chunked", "utf-8", "none", "identity", "", "gzip", "deflate", "br", "gzip, gzip"])
    func `An image is one whatever coding its host names`(coding: String) async throws {
        let host = SpecimenHost(Self.image)
        host.change { _, _, answer in answer.headers["Content-Encoding"] = coding }
        try await host.expectImage()
    }

    @Test(arguments: ["gzip", "x-gzip", nil])
    func `What really is gzip is inflated, whatever its host names`(coding: String?) async throws {
        let packed = try await GzipFile.bytes(Self.image)
        let host = SpecimenHost(packed)
        host.change { _, _, answer in answer.headers["Content-Encoding"] = coding }
        try await host.expectImage(Self.image)
        // A part of it could not be inflated by itself.
        #expect(host.ranges == ["-"])
    }

    @Test func `What breaks off in gzip is fetched again from its beginning`() async throws {
        let host = SpecimenHost(try await GzipFile.bytes(Self.image))
        host.change { number, _, answer in if number == 0 { answer.cut(to: 20_000) } }
        try await host.expectImage(Self.image, attempts: 2) { #expect($0.failure?.failureClass == .transient) }
        #expect(host.ranges == ["-", "-"])
    }

    @Test func `What inflates beyond the limit, or not at all, is refused`() async throws {
        let packed = try await GzipFile.bytes(Self.image + [UInt8](repeating: 0, count: 40_000_000))
        let host = SpecimenHost(packed)
        let large = try await host.fetch(maxBytes: 3_000_000)
        #expect(large.refusal == .fetchEncodingRefused || large.refusal == .sourceTooLarge)
        #expect(await host.box.count <= 3_000_000)
        let damaged = Array(packed.prefix(1_000)) + [UInt8](repeating: 0xFF, count: 1_000)
        #expect(try await SpecimenHost(damaged).fetch().refusal == .fetchEncodingRefused)
    }

    @Test(arguments: ["000 X", "042 OK", "099"])
    func `A status below 100 is no answer of a host, and ends no process`(status: String) async throws {
        let host = SpecimenHost(Self.image)
        host.change { _, _, answer in answer.status = status }
        let failure = try await host.fetch().failure
        #expect(failure?.failureClass == .transient)
        #expect(failure?.code == "reply_malformed")
    }

    @Test func `A page in gzip is no image either`() async throws {
        let page = Array("<!DOCTYPE html>".utf8) + [UInt8](repeating: 0x20, count: 2_000)
        let host = SpecimenHost(try await GzipFile.bytes(page))
        #expect(try await host.fetch().refusal == .fetchNotAnImage)
        #expect(await host.box.keeps == 0)
    }
}
