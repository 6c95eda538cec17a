import CFolders
import Glibc

/// The system's calls on paths; in the folder of a sandbox root makes them as the owner of the folder.
///
/// What fails leaves its reason in `errno`.
package enum FileCall {
    /// Makes calls on a path as the owner of the sandbox's folder that it lies in.
    ///
    /// - Parameter call: starts no thread; a new thread would keep the rights of the one that started it.
    package static func acting<Value, Failure: Error>(
        on path: String,
        _ call: () throws(Failure) -> Value
    ) throws(Failure) -> Value {
        let before = idc_act_for(path)
        defer { idc_act_again(before) }
        return try call()
    }

    static func open(_ path: String, _ flags: Int32, _ mode: mode_t = 0) -> Int32 {
        self.acting(on: path) { Glibc.open(path, flags, mode) }
    }

    static func access(_ path: String, _ mode: Int32) -> Int32 {
        self.acting(on: path) { Glibc.access(path, mode) }
    }

    static func chmod(_ path: String, _ mode: mode_t) -> Int32 {
        self.acting(on: path) { Glibc.chmod(path, mode) }
    }

    static func mkdir(_ path: String, _ mode: mode_t) -> Int32 {
        self.acting(on: path) { Glibc.mkdir(path, mode) }
    }

    static func stat(_ path: String, _ status: inout Glibc.stat) -> Int32 {
        self.acting(on: path) { statCall(path, &status) }
    }

    static func lstat(_ path: String, _ status: inout Glibc.stat) -> Int32 {
        self.acting(on: path) { Glibc.lstat(path, &status) }
    }

    static func statvfs(_ path: String, _ status: inout Glibc.statvfs) -> Int32 {
        self.acting(on: path) { statvfsCall(path, &status) }
    }

    static func opendir(_ path: String) -> OpaquePointer? {
        self.acting(on: path) { Glibc.opendir(path) }
    }

    @discardableResult
    static func unlink(_ path: String) -> Int32 {
        self.acting(on: path) { Glibc.unlink(path) }
    }

    static func link(_ path: String, _ target: String) -> Int32 {
        self.acting(on: target) { Glibc.link(path, target) }
    }

    static func rename(_ path: String, _ target: String) -> Int32 {
        self.acting(on: target) { Glibc.rename(path, target) }
    }
}

// Glibc has a type and a function of each of these names; only here, beside no method of the same name, the call is found.
private func statCall(_ path: String, _ status: inout stat) -> Int32 { stat(path, &status) }
private func statvfsCall(_ path: String, _ status: inout statvfs) -> Int32 { statvfs(path, &status) }
