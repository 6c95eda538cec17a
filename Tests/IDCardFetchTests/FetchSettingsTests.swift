import Foundation
import IDCardCore
import IDCardPipeline
import OutboundHTTP
import Testing

@testable import IDCardFetch

/// What may be set, and what may not.
struct FetchSettingsTests {
    private func error(_ change: (inout FetchSettings) throws -> Void) throws -> FetchError? {
        var settings = FetchSettings()
        try change(&settings)
        do throws(FetchError) {
            _ = try URLImageFetcher(settings: settings) { _ in true }
            return nil
        } catch {
            return error
        }
    }

    @Test("The defaults are taken, and nothing is fetched by them")
    func defaults() async throws {
        let fetcher = try URLImageFetcher(settings: FetchSettings()) { _ in true }
        let outcome = try await PieceBox().fetch("https://images.example.com/a.jpg", with: fetcher)
        #expect(outcome.refusal == .fetchHostRefused)
    }

    @Test("A number out of its range is refused by its key")
    func numbers() throws {
        let table: [(String, (inout FetchSettings) -> Void)] = [
            ("fetch.max_redirects", { $0.maximumRedirects = 11 }),
            ("fetch.max_redirects", { $0.maximumRedirects = -1 }),
            ("fetch.max_url_bytes", { $0.maximumURLBytes = 15 }), ("imaging.max_source_bytes", { $0.maximumBytes = 0 }),
            ("fetch.parallel_above", { $0.parallelAbove = 1_048_575 }),
            ("fetch.parallel_ranges", { $0.parallelRanges = 0 }),
            ("fetch.parallel_ranges", { $0.parallelRanges = 17 }), ("fetch.ports", { $0.ports = [443, 0] }),
            ("fetch.timeout", { $0.timeout = .zero }), ("fetch.stall_timeout", { $0.stallTimeout = .seconds(86_401) }),
            ("fetch.connect_timeout", { $0.connectTimeout = .seconds(-1) }),
            ("fetch.resolve_timeout", { $0.resolveTimeout = .zero }),
            ("fetch.user_agent", { $0.userAgent = "a\r\nb: c" }),
            ("fetch.user_agent", { $0.userAgent = "" }),
        ]
        for (key, change) in table {
            let error = try self.error(change)
            #expect(error?.code == .invalidSetting)
            #expect(error?.message.hasPrefix(key) == true, "\(key)")
        }
    }

    @Test("TLS without verification is refused")
    func tls() throws {
        #expect(try self.error { $0.tls = try TLSSettings(trust: .systemRoots, insecure: true) }?.code == .tlsUnusable)
    }
}
