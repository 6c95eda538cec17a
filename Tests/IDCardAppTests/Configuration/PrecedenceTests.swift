import Foundation
import IDCardApp
import IDCardCore
import Testing

@Suite("Precedence of command line, environment, file and default")
struct PrecedenceTests {
    /// Every combination of the three layers that can set a key.
    static let combinations: [(line: Bool, variable: Bool, file: Bool)] = (0..<8).map {
        (line: $0 & 4 != 0, variable: $0 & 2 != 0, file: $0 & 1 != 0)
    }

    @Test("The strongest layer that sets a key wins", arguments: combinations)
    func strongestWins(line: Bool, variable: Bool, file: Bool) throws {
        let configuration = try ConfigurationFolder().load(
            yaml: file ? "imaging:\n  max_edge: 1001\n" : nil,
            overrides: line ? ["imaging.max_edge": "1003"] : [:],
            environment: variable ? ["IDCARD_IMAGING_MAX_EDGE": "1002"] : [:]
        )
        let expected: (Int, ConfigurationSource) =
            line ? (1003, .commandLine) : variable ? (1002, .environment) : file ? (1001, .file) : (1600, .builtIn)
        #expect(configuration.imaging.maximumEdge == expected.0)
        #expect(configuration.entry("imaging.max_edge")?.source == expected.1)
    }

    @Test("Every key is read from its variable and from the file", arguments: ConfigurationKey.all.map(\.path))
    func everyKeyFromEveryLayer(path: String) throws {
        let key = try #require(ConfigurationKey.named(path))
        let folder = try ConfigurationFolder()
        let sample = try SampleValue.valid(for: key, in: folder)
        let byVariable = try folder.load(
            overrides: sample.companions,
            environment: [key.environmentName: sample.text]
        )
        #expect(byVariable.entry(path)?.source == .environment)
        #expect(byVariable.entry(path)?.value == sample.value)
        let byFile = try folder.load(yaml: "\(path): \(sample.yaml)\n", overrides: sample.companions)
        #expect(byFile.entry(path)?.source == .file)
        #expect(byFile.entry(path)?.value == sample.value)
        let byOption = try folder.load(overrides: sample.companions.merging([path: sample.text]) { $1 })
        #expect(byOption.entry(path)?.source == .commandLine)
        #expect(byOption.entry(path)?.value == sample.value)
    }

    @Test("An empty variable counts as unset")
    func emptyVariable() throws {
        let configuration = try ConfigurationFolder().load(
            yaml: "delivery:\n  business_type: FILE_TYPE\n",
            environment: ["IDCARD_DELIVERY_BUSINESS_TYPE": " ", "IDCARD_DELIVERY_RETCODE_SUCCESS": ""]
        )
        #expect(configuration.delivery.businessType == "FILE_TYPE")
        #expect(configuration.delivery.retcodes.success == ["000000"])
    }

    @Test("Lists are YAML sequences, YAML texts or variables with commas; codes keep their zeros")
    func lists() throws {
        let folder = try ConfigurationFolder()
        let expected = ["0000", "0001"]
        for yaml in ["[0000, 0001]", "[\"0000\", '0001']", "0000,0001", "\n      - 0000\n      - 0001"] {
            let configuration = try folder.load(yaml: "delivery:\n  retcode:\n    success: \(yaml)\n")
            #expect(configuration.delivery.retcodes.success == expected, "\(yaml)")
        }
        let variable = try folder.load(environment: ["IDCARD_DELIVERY_RETCODE_SUCCESS": " 0000 , 0001 "])
        #expect(variable.delivery.retcodes.success == expected)
    }

    @Test("The defaults are the documented ones")
    func defaults() throws {
        let configuration = try ConfigurationFolder().load()
        #expect(configuration.imaging.quality == 0.5)
        #expect(configuration.imaging.byteBudget == 1_990_000)
        #expect(configuration.imaging.concurrency == 3)
        #expect(configuration.imaging.maximumSourceBytes == 33_554_432)
        #expect(configuration.verification.timeout == .seconds(30))
        #expect(configuration.verification.rules == VerdictRules(legalityThreshold: 0.8, legalityUnavailable: .hold))
        #expect(configuration.delivery.frontWait == .seconds(600))
        #expect(configuration.delivery.onUnknown == .resend)
        #expect(configuration.retry == RetryPolicy())
        #expect(configuration.patience == .seconds(60))
        #expect(configuration.probeInterval == .seconds(300))
        #expect(configuration.http.maximumReplyBytes == 1_048_576)
        #expect(configuration.entry("log.level")?.value == .text("info"))
        #expect(configuration.entries.allSatisfy { $0.source == .builtIn })
        #expect(configuration.entries.map(\.key) == ConfigurationKey.all)
    }

    @Test("The sandbox lies in the data folder of the user, and --embedded has its own")
    func sandboxPaths() throws {
        let folder = try ConfigurationFolder()
        #expect(try folder.load().sandboxPath == folder.path + "/.local/share/idcard-pipeline/sandbox")
        #expect(
            try folder.load(environment: ["XDG_DATA_HOME": "/data"], embedded: true).sandboxPath
                == "/data/idcard-pipeline/embedded"
        )
        // The specification: a relative path in these variables is ignored.
        #expect(
            try folder.load(environment: ["XDG_DATA_HOME": "data"]).sandboxPath
                == folder.path + "/.local/share/idcard-pipeline/sandbox"
        )
        #expect(try folder.load(overrides: ["sandbox.path": "~/cards"]).sandboxPath == folder.path + "/cards")
        let homeless = try folder.refusal(environment: ["HOME": ""])
        #expect(homeless?.problems.map(\.code) == [.missing])
        #expect(homeless?.message.contains("--sandbox") == true)
    }
}
