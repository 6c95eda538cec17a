import CardModel
import Testing

@testable import CardRemote

/// What a host says that an image is coded in, and what its first bytes say.
@Suite(.timeLimit(.minutes(5))) struct FetchCodingTests {
    /// Too large for one request, so that a host is asked for parts beside the beginning.
    private static let image = Specimen.image(2_500_000)
    private let box = PieceBox()

    @Test(arguments: ["aws-chunked", "utf-8", "none", "identity", "", "gzip", "deflate", "br", "gzip, gzip"])
    func `An image is one whatever coding its host names`(coding: String) async throws {
        let host = SpecimenHost(Self.image)
        host.change { _, _, answer in answer.headers["Content-Encoding"] = coding }
        #expect(try await Specimen.fetch(from: host, into: self.box).isFetched)
        #expect(await self.box.image == Self.image)
    }

    @Test(arguments: ["gzip", "x-gzip", nil])
    func `What really is gzip is inflated, whatever its host names`(coding: String?) async throws {
        let packed = try await GzipFile.bytes(Self.image)
        let host = SpecimenHost(packed)
        host.change { _, _, answer in answer.headers["Content-Encoding"] = coding }
        #expect(try await Specimen.fetch(from: host, into: self.box).isFetched)
        #expect(await self.box.image == Self.image)
        // A part of it could not be inflated by itself.
        #expect(host.ranges == ["-"])
    }

    @Test func `What breaks off in gzip is fetched again from its beginning`() async throws {
        let host = SpecimenHost(try await GzipFile.bytes(Self.image))
        host.change { number, _, answer in if number == 0 { answer.cut(to: 20_000) } }
        let outcome = try await Specimen.fetch(from: host, into: self.box, attempts: 2) { first in
            #expect(first.failure?.failureClass == .transient)
        }
        #expect(outcome.isFetched)
        #expect(await self.box.image == Self.image)
        #expect(host.ranges == ["-", "-"])
    }

    @Test func `What inflates beyond the limit, or not at all, is refused`() async throws {
        let packed = try await GzipFile.bytes(Self.image + [UInt8](repeating: 0, count: 40_000_000))
        let large = try await Specimen.fetch(from: SpecimenHost(packed), into: self.box, maxBytes: 3_000_000)
        #expect(large.refusal == .fetchEncodingRefused || large.refusal == .sourceTooLarge)
        #expect(await self.box.count <= 3_000_000)
        let damaged = Array(packed.prefix(1_000)) + [UInt8](repeating: 0xFF, count: 1_000)
        #expect(try await Specimen.fetch(from: SpecimenHost(damaged)).refusal == .fetchEncodingRefused)
    }

    @Test func `A page in gzip is no image either`() async throws {
        let page = Array("<!DOCTYPE html>".utf8) + [UInt8](repeating: 0x20, count: 2_000)
        let host = SpecimenHost(try await GzipFile.bytes(page))
        #expect(try await Specimen.fetch(from: host, into: self.box).refusal == .fetchNotAnImage)
        #expect(await self.box.keeps == 0)
    }
}
