import Foundation
import IDCardPipeline
import Testing

@testable import IDCardApp

@Suite("What a command says of an error")
struct CommandFailureTests {
    private enum Unforeseen: Error, CustomStringConvertible {
        case file(path: String)
        case holder(name: String)

        var description: String {
            switch self {
            case .file(let path): "cannot read \(path)"
            case .holder(let name): "of \(name)"
            }
        }
    }

    private static let secrets = ["sentinel-folder", "sentinel-name"]
    private static let errors: [any Error] = [
        Unforeseen.file(path: "/sentinel-folder/sentinel-name.jpg"), Unforeseen.holder(name: "sentinel-name"),
        CocoaError(.fileReadNoPermission, userInfo: [NSFilePathErrorKey: "/sentinel-folder/sentinel-name.jpg"]),
        StoreError(.unavailable, "sample", cause: Unforeseen.holder(name: "sentinel-name")),
    ]

    @Test("An error nobody foresaw is told by its code, never in its own words", arguments: errors.indices)
    func unforeseen(index: Int) {
        let failure = CommandFailure(Self.errors[index])
        let warning = RunSession.closingWarning(Self.errors[index])
        for line in failure.lines + [warning] {
            for secret in Self.secrets { #expect(!line.contains(secret), "\(line)") }
        }
        #expect(failure.status == .sandboxError)
        #expect(warning.hasPrefix("warning: the sandbox did not close in order ("))
    }

    @Test("Two errors nobody foresaw have different codes")
    func codes() {
        let codes = Self.errors.map(CommandFailure.code)
        #expect(Set(codes).count == codes.count)
        #expect(codes.last == "unavailable")
        #expect(CommandFailure(Self.errors[0]).lines.first?.contains(codes[0]) == true)
    }
}
