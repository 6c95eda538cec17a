import Foundation
import IDCardCore
import IDCardPipeline

extension URLImageFetcher {
    /// Why the rules forbid the URL of an image; `nil` if they do not.
    func refusal(of address: ImageAddress) -> ImageFetcher.Refusal? {
        do throws(FetchRefusal) {
            _ = try self.rules.check(address.url.reveal())
            return nil
        } catch {
            return ImageFetcher.Refusal(error.code, message: error.message)
        }
    }

    /// Checks the URL of an image.
    func checkStart(_ address: ImageAddress) throws(FetchStop) -> (FetchTarget, label: String) {
        do throws(FetchRefusal) {
            return try self.rules.check(address.url.reveal())
        } catch {
            throw .refused(error)
        }
    }

    /// Checks where a server sends to, by all the rules for the URL of an image, and never from https to http.
    func checkRedirect(
        to location: String,
        from target: FetchTarget
    ) throws(FetchStop) -> (FetchTarget, label: String) {
        let base = URL(string: target.url)
        guard !location.isEmpty, let url = URL(string: location, relativeTo: base)?.absoluteString else {
            throw .refused(
                FetchRefusal(.fetchRedirectRefused, "the image's host sends elsewhere without a usable address")
            )
        }
        do throws(FetchRefusal) {
            let (next, label) = try self.rules.check(url)
            guard next.usesTLS || !target.usesTLS else {
                throw FetchRefusal(
                    .fetchRedirectRefused,
                    "the image's host sends from https to http, which is never followed"
                )
            }
            return (next, label)
        } catch {
            throw .refused(error)
        }
    }

    /// Resolves a host and checks its addresses.
    func resolve(_ target: FetchTarget, label: String) async throws(FetchStop) -> CheckedEndpoint {
        do {
            return try await CheckedEndpoint(target, label: label, rules: self.addressRules, resolver: self.resolver)
        } catch let refusal as FetchRefusal {
            throw .refused(refusal)
        } catch {
            guard !Task.isCancelled else { throw .cancelled }
            throw .failed(FetchFaults(label: label, usesTLS: target.usesTLS).failure(for: error))
        }
    }

    /// Refuses what is no image by its head, or too large.
    func check(_ facts: ResponseFacts, total: Int?, label: String) throws(FetchStop) {
        if let total, total > self.settings.maximumBytes {
            throw .refused(.tooLarge(limit: self.settings.maximumBytes, label: label))
        }
        do throws(FetchRefusal) {
            try facts.checkContent(label: label)
        } catch {
            throw .refused(error)
        }
    }
}
