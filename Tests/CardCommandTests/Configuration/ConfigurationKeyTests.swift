import CardEngine
import CardModel
import CardRemote
import Foundation
import Testing

@testable import CardCommand

@Suite("The declared keys")
struct ConfigurationKeyTests {
    /// The list of the design, families left out.
    private static let documented: Set<String> = Set(
        """
        sandbox.path sandbox.intake_free_space vault.key_file vault.key vault.key_command imaging.quality \
        imaging.min_quality imaging.max_edge imaging.byte_budget imaging.recompress imaging.concurrency \
        imaging.max_source_bytes imaging.max_pixels imaging.isolation verification.url verification.dialect \
        verification.api_key verification.api_secret verification.auth verification.legality_threshold \
        verification.concurrency verification.rate verification.timeout verification.max_attempts verification.proxy \
        verification.tls.ca_file verification.tls.client_certificate verification.tls.client_key verdict.min_age \
        delivery.url allow_http.hosts delivery.layout delivery.body delivery.batch_max_cards delivery.batch_max_bytes \
        delivery.batch_wait delivery.token delivery.token_file delivery.token_command delivery.user_no \
        delivery.business_type delivery.doctype.front delivery.doctype.back delivery.filename.front \
        delivery.filename.back delivery.reply.code delivery.reply.message delivery.reply.items \
        delivery.reply.encryption delivery.reply.key_file delivery.reply.iv delivery.back_without_front \
        delivery.on_unknown delivery.front_wait delivery.reuse_connections delivery.concurrency delivery.rate delivery.timeout \
        delivery.max_attempts delivery.proxy delivery.tls.ca_file delivery.tls.client_certificate \
        delivery.tls.client_key delivery.retcode.success delivery.retcode.already_exists \
        delivery.retcode.token_expired delivery.retcode.retryable delivery.retcode.rejected \
        delivery.retcode.unlisted retry.base retry.cap stop.probe_interval run.patience run.shutdown_timeout \
        server.listen server.tls.certificate server.tls.key server.tokens_file server.rate_limit \
        server.cors_origins webhooks.secrets webhooks.secrets_file intake.business_no_from sources fetch.hosts \
        fetch.allow_addresses fetch.allow_http fetch.ports fetch.max_redirects fetch.tls.ca_file watch.folders \
        watch.mode watch.after watch.quiet_time watch.done_marker watch.ignore watch.sidecar watch.sidecar_wait \
        retention.delivered retention.rejected retention.failed retention.held log.level log.format
        """.split(separator: " ").map(String.init)
    )

    @Test func `Every key of the design is declared once, with a meaning, and no other is`() {
        let names = ConfigurationKey.all.map(\.name)
        #expect(Set(names).count == names.count)
        let families = ["verdict.severity.", "delivery.fields."]
        let single = Set(names.filter { name in !families.contains(where: name.hasPrefix) })
        #expect(single.subtracting(Self.documented) == [])
        #expect(Self.documented.subtracting(single) == [])
        #expect(ConfigurationKey.all.allSatisfy { $0.meaning.hasSuffix(".") && $0.meaning.count > 10 })
        #expect(Set(ConfigurationKey.all.map(\.variable)).count == names.count)
        #expect(VerdictRule.allCases.allSatisfy { names.contains("verdict.severity.\($0.rawValue)") })
    }

    @Test func `The sample has fewer than 150 lines, and what it shows as defaults loads as the defaults`() throws {
        let sample = ConfigurationReference.sample()
        let lines = sample.split(separator: "\n").map(String.init)
        #expect(lines.count < 150)
        let known = Set(ConfigurationKey.all.map(\.name))
        let settings = lines.compactMap { line -> String? in
            guard let name = line.dropFirst(2).split(separator: ":").first, known.contains(String(name)),
                !line.contains(":  #")
            else { return nil }
            return String(line.dropFirst(2))
        }
        #expect(settings.count > 60)
        let home = try ScratchHome()
        let loaded = try home.load(settings.joined(separator: "\n") + "\n")
        let standard = try home.load().configuration
        for key in ConfigurationKey.all { #expect(key.show(loaded.configuration) == key.show(standard), "\(key.name)") }
        #expect(loaded.sources.count == settings.count)
    }

    @Test func `The reference has a row for every key`() {
        let page = ConfigurationReference.page()
        for key in ConfigurationKey.all { #expect(page.contains("| `\(key.name)` | ")) }
        #expect(page.contains("| `imaging.quality` | a number from 0 to 1 | `0.5` |"))
    }

    @Test(arguments: [
        ("sample", "config/idcard-pipeline.yaml"),
        ("reference", "Sources/CardCommand/CardCommand.docc/Configuration.md"),
    ])
    func `What lies in the project is what the command prints`(_ command: String, _ file: String) async throws {
        let outcome = try await Tool(withKey: false).run(["config", command])
        #expect(outcome.status == 0 && !outcome.output.isEmpty, "\(outcome.errors)")
        let text = try String(contentsOf: Project.root.appending(path: file), encoding: .utf8)
        #expect(text == outcome.output, "run: idcard-pipeline config \(command) > \(file)")
    }

    @Test func `The defaults load, in the folders of the user`() throws {
        let home = try ScratchHome()
        let configuration = try home.load().configuration
        #expect(configuration.sandboxPath == home.path + "/.local/share/idcard-pipeline/sandbox")
        #expect(configuration.vault.keyFile == home.path + "/.config/idcard-pipeline/vault.key")
        #expect(configuration.verification == nil && configuration.delivery == nil)
        #expect(configuration.engine.retry == RetryPolicy())
        let embedded = try home.load(embedded: true).configuration
        #expect(embedded.sandboxPath == home.path + "/.local/share/idcard-pipeline/embedded")
        #expect(embedded.vault.keyFile == home.path + "/.config/idcard-pipeline/embedded.key")
    }
}
