import Foundation
import IDCardApp
import Testing

@Suite("Reports of `config show` and `config check`")
struct ConfigurationReportTests {
    private func object(_ json: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
    }

    @Test("`config show` has one line per key: key, value, source")
    func show() throws {
        let configuration = try ConfigurationFolder().load(
            yaml: "imaging:\n  quality: 0.4\n",
            overrides: ["log.level": "debug"],
            environment: ["IDCARD_DELIVERY_TIMEOUT": "120s"]
        )
        let lines = ConfigurationReport.show(configuration).split(separator: "\n").map(String.init)
        #expect(lines.count == ConfigurationKey.all.count + 1)
        #expect(lines.first == "# configuration file: \(configuration.file ?? "")")
        let columns = lines.dropFirst().map {
            $0.split(separator: " ", omittingEmptySubsequences: true).map(String.init)
        }
        #expect(columns.map(\.first) == ConfigurationKey.all.map(\.path))
        #expect(columns.contains(["imaging.quality", "0.4", "file"]))
        #expect(columns.contains(["log.level", "debug", "command", "line"]))
        #expect(columns.contains(["delivery.timeout", "2m", "environment"]))
        #expect(columns.contains(["verification.url", "<unset>", "default"]))
    }

    @Test("`config show --format json` keeps the types")
    func showJSON() throws {
        let configuration = try ConfigurationFolder().load(yaml: CompleteConfiguration.yaml)
        let report = try self.object(try ConfigurationReport.showJSON(configuration))
        #expect(report["file"] as? String == configuration.file)
        #expect(report["embedded"] as? Bool == false)
        let settings = try #require(report["settings"] as? [[String: Any]])
        let byKey = Dictionary(settings.map { ($0["key"] as? String ?? "", $0) }) { first, _ in first }
        #expect(byKey.count == ConfigurationKey.all.count)
        #expect(byKey["imaging.quality"]?["value"] as? Double == 0.5)
        #expect(byKey["imaging.max_source_bytes"]?["value"] as? Int == 33_554_432)
        #expect(byKey["delivery.retcode.success"]?["value"] as? [String] == ["000000"])
        #expect(byKey["delivery.tls.insecure"]?["value"] as? Bool == false)
        #expect(byKey["delivery.tls.pinned_certificates"]?["value"] as? [String] == [])
        #expect(byKey["delivery.proxy"]?["value"] as? String == "<set>")
        #expect(byKey["delivery.timeout"]?["value"] as? String == "1m")
        #expect(byKey["delivery.token_file"]?["value"] is NSNull)
        #expect(byKey["verification.api_key"]?["value"] as? String == "<set>")
        #expect(byKey["verification.api_key"]?["secret"] as? Bool == true)
        #expect(byKey["verification.api_key"]?["source"] as? String == "file")
        #expect(byKey["imaging.max_edge"]?["environment"] as? String == "IDCARD_IMAGING_MAX_EDGE")
        let withoutFile = try self.object(try ConfigurationReport.showJSON(try ConfigurationFolder().load()))
        #expect(withoutFile["file"] is NSNull)
    }

    @Test("`config check` says ok, with what is worth knowing")
    func checkOK() throws {
        let outcome = Result<AppConfiguration, ConfigurationError>.success(
            try ConfigurationFolder().load(yaml: CompleteConfiguration.yaml)
        )
        let text = ConfigurationReport.check(outcome)
        #expect(text.contains("note: delivery.on_unknown is resend"))
        #expect(text.contains("\nconfiguration ok (file: "))
        let report = try self.object(try ConfigurationReport.checkJSON(outcome))
        #expect(report["ok"] as? Bool == true)
        #expect((report["errors"] as? [Any])?.isEmpty == true)
        #expect((report["notices"] as? [[String: Any]])?.first?["level"] as? String == "note")
    }

    @Test("`config check` lists every problem with its code")
    func checkNotOK() throws {
        let error = try #require(
            try ConfigurationFolder().refusal(
                yaml: "imaging:\n  quality: 7\n  qualities: 8\n",
                environment: ["IDCARD_NOTHING_LIKE_THIS": "1"]
            )
        )
        let text = ConfigurationReport.check(.failure(error))
        #expect(text.split(separator: "\n").filter { $0.hasPrefix("error: ") }.count == 2)
        #expect(text.contains("warning: the variable IDCARD_NOTHING_LIKE_THIS"))
        #expect(text.hasSuffix("configuration not usable: 2 error(s)\n"))
        let report = try self.object(try ConfigurationReport.checkJSON(.failure(error)))
        #expect(report["ok"] as? Bool == false)
        #expect(report["file"] as? String == error.file)
        #expect(error.file?.hasSuffix("/idcard-pipeline.yaml") == true)
        #expect((report["notices"] as? [[String: Any]])?.first?["key"] is NSNull)
        #expect(ConfigurationReport.problems(error) == error.problems.map { "error: \($0.message)\n" }.joined())
        let codes = (report["errors"] as? [[String: Any]])?.compactMap { $0["code"] as? String }
        #expect(codes == ["config_unknown_key", "config_out_of_range"])
    }
}
