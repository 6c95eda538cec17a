import Foundation
import IDCardCore
import Testing

@testable import IDCardApp

/// The credentials kept beside a sandbox.
struct EmbeddedCredentialsTests {
    private func path(in folder: ConfigurationFolder) -> String { folder.path + "/embedded-credentials.json" }

    @Test("Callers at once get the same credentials, and nothing else is left in the folder", arguments: 0..<10)
    func concurrentCallers(round: Int) async throws {
        let folder = try ConfigurationFolder()
        let all = try await withThrowingTaskGroup(of: EmbeddedCredentials.self) { group in
            for _ in 0..<8 { group.addTask { try EmbeddedCredentials.inFolder(folder.path) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(all.count == 8)
        #expect(Set(all.map { $0.token.reveal() }).count == 1)
        let again = try EmbeddedCredentials.inFolder(folder.path)
        #expect(all.allSatisfy { $0 == again })
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["embedded-credentials.json"])
    }

    @Test("Who comes second does not replace what is there")
    func firstWriterWins() throws {
        let folder = try ConfigurationFolder()
        let first = try EmbeddedCredentials.inFolder(folder.path)
        let elsewhere = try ConfigurationFolder()
        let other = try EmbeddedCredentials.inFolder(elsewhere.path)
        try EmbeddedCredentialsFile(folder: folder.path).create(other)
        #expect(first != other)
        #expect(try EmbeddedCredentials.inFolder(folder.path) == first)
    }

    @Test("Nobody but the owner may read the file")
    func mode() throws {
        let folder = try ConfigurationFolder()
        _ = try EmbeddedCredentials.inFolder(folder.path)
        let attributes = try FileManager.default.attributesOfItem(atPath: self.path(in: folder))
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test(
        "A file that holds no credentials is refused by its path and left alone",
        arguments: [
            "", "{", #"{"apiKey":"canary"}"#, #"{"apiKey":"canary","apiSecret":"canary","token":""}"#,
            String(repeating: " ", count: 5000) + #"{"apiKey":"a","apiSecret":"canary","token":"c"}"#,
        ]
    )
    func malformed(text: String) throws {
        let folder = try ConfigurationFolder()
        let path = try folder.write(text, to: EmbeddedCredentialsFile.name)
        let error = #expect(throws: EmbeddedCredentialsError.self) { try EmbeddedCredentials.inFolder(folder.path) }
        #expect(error?.code == .malformed)
        #expect(error?.message.contains(path) == true)
        #expect(error.map { "\($0)" + String(reflecting: $0) }?.contains("canary") == false)
        #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
    }

    @Test("What is no file that can be read is refused by its path")
    func unreadable() throws {
        let folder = try ConfigurationFolder()
        try FileManager.default.createDirectory(atPath: self.path(in: folder), withIntermediateDirectories: false)
        let error = #expect(throws: EmbeddedCredentialsError.self) { try EmbeddedCredentials.inFolder(folder.path) }
        #expect(error?.code == .unreadable)
        #expect(error?.message.contains(self.path(in: folder)) == true)
    }

    @Test("A link of that name is refused, wherever it leads", arguments: [true, false])
    func link(isDangling: Bool) throws {
        let folder = try ConfigurationFolder()
        let elsewhere = try ConfigurationFolder()
        if !isDangling { _ = try EmbeddedCredentials.inFolder(elsewhere.path) }
        try FileManager.default.createSymbolicLink(
            atPath: self.path(in: folder),
            withDestinationPath: self.path(in: elsewhere)
        )
        let error = #expect(throws: EmbeddedCredentialsError.self) { try EmbeddedCredentials.inFolder(folder.path) }
        #expect(error?.code == .unreadable)
        #expect(FileManager.default.fileExists(atPath: self.path(in: elsewhere)) == !isDangling)
    }

    @Test("A folder that does not exist is an error of writing")
    func unwritable() throws {
        let folder = try ConfigurationFolder()
        let missing = folder.path + "/missing"
        let error = #expect(throws: EmbeddedCredentialsError.self) { try EmbeddedCredentials.inFolder(missing) }
        #expect(error?.code == .unwritable)
        #expect(error?.message.contains(missing) == true)
    }
}
