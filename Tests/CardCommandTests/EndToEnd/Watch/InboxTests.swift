import Foundation
import Glibc
import Subprocess
import TestSupport
import Testing

/// Watched folders with which other sandboxes, or a failing file system, have to do.
@Suite(.serialized, .timeLimit(.minutes(5))) struct InboxTests {
    private let inbox: Inbox
    private var tool: Tool { self.inbox.tool }

    init() throws {
        self.inbox = try Inbox()
        try self.inbox.bring("R-1/front.jpg", .front(1))
    }

    /// The variables that have calls of one kind below the inbox fail, or kill.
    private func striking(_ mode: String, only kind: String) async throws -> [String: String] {
        [
            "LD_PRELOAD": try await self.tool.shim("shim"), "PROOF_SHIM_MODE": mode, "PROOF_SHIM_ONLY": kind,
            "PROOF_SHIM_AT": "1", "PROOF_SHIM_STICKY": "1", "PROOF_SHIM_ERRNO": "ENOSPC",
            "PROOF_SHIM_BELOW": self.inbox.folder.path, "PROOF_SHIM_CHILDREN": "1",
        ]
    }

    @Test func `a folder that one sandbox watches is refused to another, not to its own processes`() async throws {
        let mark = self.inbox.folder.appending(path: Inbox.mark).path
        let other = ["--new-sandbox", "--sandbox", self.tool.home.appending(path: "other").path]
        try await self.inbox.serving("after: leave") { file in
            try await self.inbox.watching(file) { lines, send in
                // The lines of a card come from the process that finds its end: a second one may take it from the first.
                #expect(try await lines.line(containing: Inbox.delivered) != nil)
                try await self.inbox.watching(file, until: "watching 1 folder")
                for command in [["watch"], ["serve", "--listen", "127.0.0.1:0"]] {
                    let refused = try await self.tool.run(command + file + other, ends: 78)
                    #expect(refused.errors.contains("belongs to another sandbox"), "\(refused.errors)")
                    #expect(refused.errors.contains("rm \(mark)\n"), "\(refused.errors)")
                }
                try send(.terminate)
            }
            let backup = self.tool.home.appending(path: "backup.sqlite3").path
            try await self.tool.run(["backup", backup] + file, ends: 0)
            try await self.tool.run(["restore", backup, "--force"] + file, ends: 0)
            try await self.inbox.watching(file, until: "watching 1 folder")
            #expect(unlink(mark) == 0)
            try await self.inbox.watching(file + other, until: "watching 1 folder")
            try await self.tool.run(["watch"] + file, ends: 78)
        }
        #expect(try self.tool.ledger().count == 1)
    }

    @Test(.enabled(if: geteuid() == 0, "mounts"), arguments: ["done", "failed"])
    func `a watched folder is refused if done or failed in it is a mount of its own and files are to be moved there`(
        name: String
    ) async throws {
        let mount = try self.tool.folder("in/\(name)").path
        // A bind mount has the same device as the folder around it.
        let script = "mount --bind '\(mount)' '\(mount)' && exec \"$@\""
        let wrapper = ["/usr/bin/unshare", "--mount", "/bin/sh", "-c", script, "sh"]
        try await self.inbox.serving("after: move") { file in
            for command in [["watch"], ["serve", "--listen", "127.0.0.1:0"]] {
                let refused = try await self.tool.run(command + file, wrapper: wrapper, ends: 78)
                #expect(refused.errors.contains("\(mount): it is a separate mount"), "\(refused.errors)")
            }
        }
        try await self.inbox.serving("after: \(name == "done" ? "delete" : "leave")") { file in
            let status = try await self.tool.running(["watch"] + file, wrapper: wrapper) { lines, send in
                #expect(try await lines.line(containing: "watching 1 folder") != nil)
                try send(.terminate)
            }
            #expect(status == 143)
        }
    }

    @Test func `a folder that does not answer keeps neither another one nor the end of the watch waiting`() async throws
    {
        let (share, gone) = (try self.tool.folder("share").path, self.tool.home.appending(path: "gone"))
        let variables = [
            "LD_PRELOAD": try await self.tool.shim("hang"), "PROOF_HANG_BELOW": share, "PROOF_HANG_WHILE": gone.path,
        ]
        try await self.inbox.serving("mode: polling") { file in
            try await self.inbox.watching(file + [self.inbox.folder.path, share], variables) { lines, send in
                #expect(try await lines.line(containing: Inbox.delivered) != nil)
                try Data().write(to: gone)
                while access(gone.path + ".met", F_OK) != 0 {
                    try Task.checkCancellation()
                    await Task.yield()
                }
                try self.inbox.bring("R-2/front.jpg", .front(2))
                #expect(try await lines.line(containing: Inbox.delivered) != nil)
                try send(.terminate)
            }
        }
        #expect(try self.tool.ledger().map(\.businessNo).sorted() == ["R-1", "R-2"])
    }

    @Test(arguments: ["leave", "move"])
    func `a folder that cannot be marked is told once, and searched only if files stay`(after: String) async throws {
        let variables = try await self.striking("fail", only: "open(create)")
        let unmarked = "cannot mark the folder as watched by this sandbox: No space left on device"
        try await self.inbox.serving("after: \(after)") { file in
            let last = after == "leave" ? Inbox.delivered : unmarked
            let said = try await self.inbox.watching(file, variables, until: last)
            #expect(said.count { $0.contains(unmarked) } == 1, "\(said)")
        }
        #expect(try self.tool.ledger().count == (after == "leave" ? 1 : 0))
        #expect(try self.inbox.files() == ["R-1/front.jpg"])
    }

    @Test func `a photo that cannot be deleted is told, stays, and is deleted by the next watch`() async throws {
        let variables = try await self.striking("fail", only: "unlink")
        try await self.inbox.serving("after: delete") { file in
            let words = "cannot delete a file that is already imported: No space left on device"
            try await self.inbox.watching(file, variables, until: words)
            #expect(try self.inbox.files() == ["R-1/front.jpg"])
            try await self.inbox.watching(file, until: Inbox.delivered)
            #expect(try self.inbox.files() == [])
        }
        #expect(try self.tool.ledger().map(\.businessNo) == ["R-1"])
    }

    @Test func `a watch that is killed while it deletes a photo leaves nothing behind for the next one`() async throws {
        let variables = try await self.striking("kill", only: "unlink")
        try await self.inbox.serving("after: delete") { file in
            // The next one finds its mark there.
            try await self.inbox.watching(file, until: Inbox.delivered)
            try self.inbox.bring("R-2/front.jpg", .front(2))
            try await self.inbox.watching(file, variables, ends: 128 + SIGKILL) { _, _ in }
            let left = try self.inbox.files()
            #expect(left.count == 1 && left.first?.hasPrefix("R-2/.idcard-") == true, "\(left)")
            try self.inbox.bring("R-3/front.jpg", .front(3))
            try await self.inbox.watching(file, until: #""business_no":"R-3""#)
            #expect(try self.inbox.files() == [])
            try await self.tool.run(["run"] + file, ends: 0)
        }
        #expect(try self.tool.ledger().map(\.businessNo).sorted() == ["R-1", "R-2", "R-3"])
    }
}
