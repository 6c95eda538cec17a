import Foundation
import IDCardTesting
import Testing

@testable import IDCardEmbedded

@Suite("Running tesseract", .timeLimit(.minutes(Sanitizer.minutes(1))))
struct TesseractTests {
    private static let line = GreyRaster(width: 64, height: 32, pixels: [UInt8](repeating: 255, count: 64 * 32))

    @Test("The installed program has the languages a card needs")
    func installed() async throws {
        try await Tesseract().checkInstallation()
    }

    @Test("The program is told where things are, and no secrets")
    func environment() async throws {
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

    @Test("A missing program names the packages to install")
    func missing() async throws {
        let tesseract = Tesseract(configuration: .init(executable: "/nonexistent/tesseract"))
        let error = await #expect(throws: EmbeddedError.self) { try await tesseract.checkInstallation() }
        #expect(error?.code == .tesseractMissing)
        let message = try #require(error?.message)
        #expect(message.contains("tesseract-ocr ") && message.contains("tesseract-ocr-chi-sim"))
    }

    @Test("A missing language names itself and the packages")
    func missingLanguage() async throws {
        try await withProgram("printf 'List of available languages (1):\\neng\\n'") { path in
            let tesseract = Tesseract(configuration: .init(executable: path))
            let error = await #expect(throws: EmbeddedError.self) { try await tesseract.checkInstallation() }
            #expect(error?.code == .tesseractMissing)
            #expect(error?.message.contains("chi_sim") == true)
            #expect(error?.message.contains("tesseract-ocr-chi-sim") == true)
        }
    }

    @Test("A program that does not end is stopped at the time limit")
    func tooSlow() async throws {
        try await withProgram("exec sleep 600") { path in
            let tesseract = Tesseract(configuration: .init(executable: path, timeLimit: .milliseconds(200)))
            let error = await #expect(throws: EmbeddedError.self) {
                try await tesseract.text(of: Self.line, language: .digits, mode: .line)
            }
            #expect(error?.code == .tesseractTooSlow)
        }
    }

    @Test("A program that is gone when a picture is to be read is an error")
    func gone() async throws {
        let tesseract = Tesseract(configuration: .init(executable: "/nonexistent/tesseract"))
        let error = await #expect(throws: EmbeddedError.self) {
            try await tesseract.text(of: Self.line, language: .digits, mode: .line)
        }
        #expect(error?.code == .tesseractFailed)
    }

    @Test("A program that fails, or writes more than allowed, is an error", arguments: ["exit 3", "exec yes"])
    func failed(script: String) async throws {
        try await withProgram(script) { path in
            let tesseract = Tesseract(configuration: .init(executable: path, outputLimit: 4096))
            let error = await #expect(throws: EmbeddedError.self) {
                try await tesseract.text(of: Self.line, language: .digits, mode: .line)
            }
            #expect(error?.code == .tesseractFailed)
        }
    }
}
