import Foundation
import Glibc
import IDCardTesting
import Synchronization
import SystemPackage
import Testing

@testable import IDCardApp

/// Writing to descriptors that make trouble.
@Suite(.timeLimit(.minutes(Sanitizer.minutes(1))))
struct DescriptorOutputTests {
    @Test("A full disk is an error")
    func full() throws {
        let device = try FileDescriptor.open("/dev/full", .writeOnly, options: .closeOnExec)
        let error = try device.closeAfter { DescriptorOutput.write("{}\n", to: device.rawValue) }
        #expect(error == ENOSPC)
        #expect(
            Console.outputFailure(error, consolation: "the sandbox has everything")
                == "error: standard output cannot be written: No space left on device; the sandbox has everything"
        )
    }

    @Test("A descriptor that is not open for writing is an error")
    func closed() throws {
        let device = try FileDescriptor.open("/dev/null", .readOnly, options: .closeOnExec)
        #expect(try device.closeAfter { DescriptorOutput.write("x", to: device.rawValue) } == EBADF)
    }

    @Test("Without an error there is nothing to say")
    func fine() throws {
        let device = try FileDescriptor.open("/dev/null", .writeOnly, options: .closeOnExec)
        #expect(try device.closeAfter { DescriptorOutput.write("x", to: device.rawValue) } == nil)
        #expect(Console.outputFailure(nil, consolation: "x") == nil)
    }

    @Test("A pipe that does not block and is full is waited for, and everything arrives")
    func slowReader() throws {
        let pipe = try FileDescriptor.pipe()
        #expect(fcntl(pipe.writeEnd.rawValue, F_SETFL, O_NONBLOCK) == 0)
        // Several times what a pipe holds.
        let text = String(repeating: "0123456789abcdef", count: 40_000)
        // A writer that waits must not take a thread of the pool from the reader.
        let failure = Mutex<Int32?>(nil)
        let done = DispatchSemaphore(value: 0)
        DispatchQueue(label: "writer").async {
            let error = DescriptorOutput.write(text, to: pipe.writeEnd.rawValue)
            failure.withLock { $0 = error }
            close(pipe.writeEnd.rawValue)
            done.signal()
        }
        let received = try pipe.readEnd.closeAfter { Array(try pipe.readEnd.readUpTo(1_000_000)) }
        done.wait()
        #expect(failure.withLock { $0 } == nil)
        #expect(received == Array(text.utf8))
    }
}
