import Foundation
import Testing

@testable import CardEmbedded

@Suite(.timeLimit(.minutes(5))) struct TesseractTests {
    private static let line = Raster(width: 64, height: 32, pixels: [UInt8](repeating: 255, count: 64 * 32))

    @Test func `The installed program has the languages a card needs`() async throws {
        try await Tesseract().checkInstallation()
    }

    @Test func `The program is told where things are, and no secrets`() async throws {
        let passed = Tesseract.environment(from: [
            "PATH": "/bin", "TESSDATA_PREFIX": "/data", "IDCARD_VAULT_KEY": "canary", "HOME": "/root",
        ])
        #expect(passed == ["PATH": "/bin", "TESSDATA_PREFIX": "/data", "HOME": "/root", "OMP_THREAD_LIMIT": "1"])
        // The shell sets the last four itself.
        let known =
            "^(PATH|HOME|TMPDIR|TESSDATA_PREFIX|LD_LIBRARY_PATH|LANG|LC_ALL|LC_CTYPE|OMP_THREAD_LIMIT|PWD|OLDPWD|SHLVL|_)="
        try await withProgram("env | grep -vE '\(known)' && exit 1; printf 'languages\\neng\\nchi_sim\\n'") { path in
            try await Tesseract(configuration: .init(executable: path)).checkInstallation()
        }
    }

    @Test func `A missing language names itself and the packages`() async throws {
        try await withProgram("printf 'List of available languages (1):\\neng\\n'") { path in
            let tesseract = Tesseract(configuration: .init(executable: path))
            let error = await #expect(throws: EmbeddedError.self) { try await tesseract.checkInstallation() }
            #expect(error?.code == .tesseractMissing)
            #expect(error?.message.contains("chi_sim") == true)
            #expect(error?.message.contains("tesseract-ocr-chi-sim") == true)
        }
    }

    @Test func `A program that does not end is stopped at the time limit`() async throws {
        try await withProgram("exec sleep 600") { path in
            let tesseract = Tesseract(configuration: .init(executable: path, timeLimit: .milliseconds(200)))
            let error = await #expect(throws: EmbeddedError.self) {
                try await tesseract.text(of: Self.line, language: .digits, mode: .line)
            }
            #expect(error?.code == .tesseractTooSlow)
        }
    }

    @Test(arguments: ["exit 3", "exec yes", nil])
    func `A program that fails, writes more than allowed or is gone is an error`(script: String?) async throws {
        try await withProgram(script ?? "") { path in
            if script == nil { try FileManager.default.removeItem(atPath: path) }
            let tesseract = Tesseract(configuration: .init(executable: path, outputLimit: 4096))
            let error = await #expect(throws: EmbeddedError.self) {
                try await tesseract.text(of: Self.line, language: .digits, mode: .line)
            }
            #expect(error?.code == .tesseractFailed)
        }
    }
}

/// Makes a shell script that stands in for tesseract while `body` runs.
func withProgram(_ script: String, body: (String) async throws -> Void) async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "program-\(UUID().uuidString)")
    try Data("#!/bin/sh\n\(script)\n".utf8).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: file.path)
    try await body(file.path)
}
