import CardModel
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import CardRemote

/// Where the TOKEN comes from, and when its source is asked again.
@Suite struct TokenTests {
    private func token(in parts: [DeliveryPart]) -> String? {
        if case .text(let value)? = parts.first?.content { value.reveal() } else { nil }
    }

    @Test func `A configured TOKEN is never another one`() async throws {
        try await withBackend(token: .value(Redacted("t"))) { backend in
            let parts = try await backend.parts(for: [makeMember(.front)])
            #expect(self.token(in: parts) == "t")
            #expect(await backend.refreshToken(staleIn: parts) == false)
        }
    }

    @Test func `A file is read for every form`() async throws {
        let content = Mutex("first")
        try await withBackend(token: .file { Redacted(content.withLock { $0 }) }) { backend in
            let parts = try await backend.parts(for: [makeMember(.front)])
            #expect(self.token(in: parts) == "first")
            #expect(await backend.refreshToken(staleIn: parts) == false)
            content.withLock { $0 = "second" }
            #expect(await backend.refreshToken(staleIn: parts))
            #expect(try await self.token(in: backend.parts(for: [makeMember(.front)])) == "second")
        }
    }

    @Test func `A file that gives no TOKEN stops with the words of whoever read it`() async throws {
        let error = CodedError(ReasonCode(rawValue: "secret_insecure"), .configuration, "run: chmod 600 token")
        try await withBackend(token: .file { () throws(CodedError) in throw error }) { backend in
            let failure = await #expect(throws: RemoteFailure.self) {
                try await backend.parts(for: [makeMember(.front)])
            }
            #expect(failure?.failureClass == .stop)
            #expect(failure?.stopScope == .account)
            #expect(failure?.code == "token_unavailable")
            #expect(failure?.message == error.message)
            #expect(await backend.refreshToken(staleIn: []) == false)
        }
    }

    @Test func `A command is run once, and again when its TOKEN was refused, for all who ask at a time`() async throws {
        let runs = Mutex(0)
        let source = TokenSource.command {
            // Time for the others to come in.
            for _ in 0..<100 { await Task.yield() }
            return runs.withLock { count in
                count += 1
                return Redacted("t\(count)")
            }
        }
        try await withBackend(token: source) { backend in
            try await withThrowingTaskGroup(of: String?.self) { group in
                for _ in 0..<8 {
                    group.addTask { self.token(in: try await backend.parts(for: [makeMember(.front)])) }
                }
                for try await token in group { #expect(token == "t1") }
            }
            #expect(runs.withLock { $0 } == 1)
            let stale = try await backend.parts(for: [makeMember(.front)])
            await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<8 { group.addTask { await backend.refreshToken(staleIn: stale) } }
                for await isRenewed in group { #expect(isRenewed) }
            }
            // A TOKEN that is issued may end the one before.
            #expect(runs.withLock { $0 } == 2)
            #expect(try await self.token(in: backend.parts(for: [makeMember(.front)])) == "t2")
        }
    }

    @Test func `A command that fails stops with the remedy, and its error's text is not repeated`() async throws {
        struct Failure: Error, CustomStringConvertible { let description = "canary" }
        try await withBackend(token: .command { throw Failure() }) { backend in
            let failure = await #expect(throws: RemoteFailure.self) {
                try await backend.parts(for: [makeMember(.front)])
            }
            #expect(failure?.kind == "stop token_unavailable")
            #expect(failure?.message.contains("canary") == false)
        }
        try await withBackend(token: .command { throw CancellationError() }) { backend in
            let failure = await #expect(throws: RemoteFailure.self) {
                try await backend.parts(for: [makeMember(.front)])
            }
            #expect(failure?.failureClass == .notSent)
        }
    }
}
