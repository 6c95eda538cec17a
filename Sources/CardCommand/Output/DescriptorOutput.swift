import Glibc

/// Writes text to an open descriptor.
enum DescriptorOutput {
    /// Writes everything, past interruptions, short writes and a reader that is slower than a non-blocking descriptor.
    ///
    /// - Returns: the `errno` of the write that failed; `nil` if everything was written.
    static func write(_ text: String, to descriptor: Int32) -> Int32? {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                bytes = bytes.dropFirst(count)
                continue
            }
            // A write of nothing would be repeated for ever.
            let error = count < 0 ? errno : EIO
            switch error {
            case EINTR: continue
            case EAGAIN: if let error = self.waitUntilWritable(descriptor) { return error }
            default: return error
            }
        }
        return nil
    }

    private static func waitUntilWritable(_ descriptor: Int32) -> Int32? {
        var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        // A descriptor in error counts as ready: the next write tells the error.
        while poll(&request, 1, -1) < 0 {
            guard errno == EINTR else { return errno }
        }
        return nil
    }
}
