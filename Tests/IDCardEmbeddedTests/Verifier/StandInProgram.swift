import Foundation

/// Makes a shell script that stands in for tesseract while `body` runs.
func withProgram(_ script: String, body: (String) async throws -> Void) async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "program-\(UUID().uuidString)")
    try Data("#!/bin/sh\n\(script)\n".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: file.path)
    try await body(file.path)
}
