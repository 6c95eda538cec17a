import Foundation
import Glibc
import IDCardApp
import IDCardTesting
import Testing

@Suite("The configuration file")
struct ConfigurationFileTests {
    private func quality(_ text: String) -> String { "imaging:\n  quality: \(text)\n" }

    @Test("--config wins over IDCARD_CONFIG, and that over the user's folder")
    func lookup() throws {
        let folder = try ConfigurationFolder()
        let named = try folder.write(self.quality("0.1"), to: "named.yaml")
        let variable = try folder.write(self.quality("0.2"), to: "variable.yaml")
        let usual = try folder.write(self.quality("0.3"), to: "xdg/idcard-pipeline/idcard-pipeline.yaml")
        var environment = ["HOME": folder.path, "XDG_CONFIG_HOME": folder.path + "/xdg", "IDCARD_CONFIG": variable]
        let first = try AppConfiguration.load(file: named, environment: environment)
        #expect(first.imaging.quality == 0.1)
        #expect(first.file == named)
        #expect(try AppConfiguration.load(file: nil, environment: environment).imaging.quality == 0.2)
        environment["IDCARD_CONFIG"] = ""
        let third = try AppConfiguration.load(file: nil, environment: environment)
        #expect(third.imaging.quality == 0.3)
        #expect(third.file == usual)
        environment["XDG_CONFIG_HOME"] = nil
        let none = try AppConfiguration.load(file: nil, environment: environment)
        #expect(none.file == nil)
        _ = try folder.write(self.quality("0.4"), to: ".config/idcard-pipeline/idcard-pipeline.yaml")
        #expect(try AppConfiguration.load(file: nil, environment: environment).imaging.quality == 0.4)
    }

    @Test("A file that is named and absent is an error that says how to name another", arguments: [true, false])
    func absent(byOption: Bool) throws {
        let folder = try ConfigurationFolder()
        let path = folder.path + "/absent.yaml"
        let error = #expect(throws: ConfigurationError.self) {
            try AppConfiguration.load(
                file: byOption ? path : nil,
                environment: ["HOME": folder.path, "IDCARD_CONFIG": path]
            )
        }
        #expect(error?.problems.map(\.code) == [.fileUnreadable])
        #expect(error?.message.contains(path) == true)
        #expect(error?.message.contains("--config") == true)
    }

    @Test("A folder, a file of 1 MiB and more, and one that is not UTF-8 are refused")
    func unusable() throws {
        let folder = try ConfigurationFolder()
        let long = try folder.write(String(repeating: "#", count: 1 << 20) + "\n", to: "long.yaml")
        let latin = folder.path + "/latin.yaml"
        try Data([0x23, 0xE9, 0x0A]).write(to: URL(fileURLWithPath: latin))
        let expected: [(String, ConfigurationError.Code)] = [
            (folder.path, .fileUnreadable), (long, .fileUnreadable), (latin, .fileMalformed),
        ]
        for (path, code) in expected {
            let error = #expect(throws: ConfigurationError.self) {
                try AppConfiguration.load(file: path, environment: ["HOME": folder.path])
            }
            #expect(error?.problems.map(\.code) == [code], "\(path)")
        }
    }

    @Test(
        "A file of comments alone is no error",
        arguments: ["", "\n\n", "# nothing\n", "---\n", "---\n  # nothing\n"]
    )
    func comments(yaml: String) throws {
        let configuration = try ConfigurationFolder().load(yaml: yaml)
        #expect(configuration.file != nil)
        #expect(configuration.entries.allSatisfy { $0.source == .builtIn })
    }

    @Test("Line ends of Windows and a byte order mark are understood")
    func windows() throws {
        let configuration = try ConfigurationFolder().load(yaml: "\u{FEFF}imaging:\r\n  quality: 0.4\r\n")
        #expect(configuration.imaging.quality == 0.4)
    }

    @Test("A pipe is read as a file that is empty, and nothing hangs", .timeLimit(.minutes(Sanitizer.minutes(1))))
    func pipe() throws {
        let folder = try ConfigurationFolder()
        let path = folder.path + "/pipe"
        #expect(mkfifo(path, 0o600) == 0)
        #expect(try AppConfiguration.load(file: path, environment: ["HOME": folder.path]).file == path)
    }
}
