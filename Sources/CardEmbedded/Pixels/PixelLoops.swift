import Glibc

/// Loops over packed rows of 8-bit samples: one channel is grey, three are RGB.
///
/// They run over pointers with `while`, because the tests run unoptimised: so written they take three times as long as
/// optimised ones, with ranges and array subscripts a hundred times.
enum PixelLoops {
    typealias Samples = UnsafePointer<UInt8>
    typealias Target = UnsafeMutablePointer<UInt8>

    /// A picture's samples and its size.
    struct Picture {
        let samples: Samples
        let width: Int
        let height: Int
        let channels: Int
    }

    /// Fills an array of samples.
    static func samples(_ count: Int, _ fill: (Target) -> Void) -> [UInt8] {
        guard count > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            guard let target = buffer.baseAddress else { return }
            target.initialize(repeating: 0, count: count)
            fill(target)
            initialized = count
        }
    }

    /// Calls with the samples of a picture that has at least one.
    static func with<Value>(
        _ pixels: [UInt8],
        _ width: Int,
        _ height: Int,
        channels: Int,
        _ body: (Picture) -> Value
    ) -> Value {
        pixels.withUnsafeBufferPointer { buffer in
            guard let samples = buffer.baseAddress, buffer.count >= width * height * channels else {
                preconditionFailure("A picture of \(width) x \(height) has \(buffer.count) samples.")
            }
            return body(Picture(samples: samples, width: width, height: height, channels: channels))
        }
    }

    /// Averages every block of the source that falls on one pixel of a target that is not larger.
    static func reduce(_ source: Picture, to target: Target, width: Int, height: Int) {
        let channels = source.channels
        var out = target
        var row = 0
        while row < height {
            let top = row * source.height / height
            let bottom = max(top + 1, (row + 1) * source.height / height)
            var column = 0
            while column < width {
                let left = column * source.width / width
                let right = max(left + 1, (column + 1) * source.width / width)
                let count = (bottom - top) * (right - left)
                var channel = 0
                while channel < channels {
                    var sum = count / 2
                    var y = top
                    while y < bottom {
                        var pixel = source.samples + (y * source.width + left) * channels + channel
                        var x = left
                        while x < right {
                            sum += Int(pixel[0])
                            pixel += channels
                            x += 1
                        }
                        y += 1
                    }
                    out[channel] = UInt8(sum / count)
                    channel += 1
                }
                out += channels
                column += 1
            }
            row += 1
        }
    }

    /// Fills the target by sampling the source between its pixels; what lies outside takes the nearest edge pixel.
    ///
    /// - Parameter map: a row-major 3 x 3 matrix from target to source coordinates, pixel centres at .5.
    static func warp(_ source: Picture, by map: [Double], to target: Target, width: Int, height: Int) {
        let (m0, m1, m2, m3, m4, m5) = (map[0], map[1], map[2], map[3], map[4], map[5])
        let (m6, m7, m8) = (map[6], map[7], map[8])
        var out = target
        var row = 0
        while row < height {
            let v = Double(row) + 0.5
            var column = 0
            while column < width {
                let u = Double(column) + 0.5
                let w = m6 * u + m7 * v + m8
                let x = (m0 * u + m1 * v + m2) / w - 0.5
                let y = (m3 * u + m4 * v + m5) / w - 0.5
                self.sample(source, x, y, to: out)
                out += source.channels
                column += 1
            }
            row += 1
        }
    }

    private static func sample(_ source: Picture, _ x: Double, _ y: Double, to out: Target) {
        let (lastX, lastY) = (Double(source.width - 1), Double(source.height - 1))
        // Written so that a NaN ends at 0.
        let left = x > 0 ? (x > lastX ? lastX : x) : 0
        let top = y > 0 ? (y > lastY ? lastY : y) : 0
        let (x0, y0) = (Int(left), Int(top))
        let right = x0 + 1 < source.width ? source.channels : 0
        let below = y0 + 1 < source.height ? source.width * source.channels : 0
        let (fx, fy) = (Int((left - Double(x0)) * 256), Int((top - Double(y0)) * 256))
        let a = source.samples + (y0 * source.width + x0) * source.channels
        let c = a + below
        var channel = 0
        while channel < source.channels {
            let upper = Int(a[channel]) * (256 - fx) + Int(a[channel + right]) * fx
            let lower = Int(c[channel]) * (256 - fx) + Int(c[channel + right]) * fx
            out[channel] = UInt8((upper * (256 - fy) + lower * fy + 32_768) >> 16)
            channel += 1
        }
    }

    /// Blurs a grey picture by a Gaussian of the given standard deviation in pixels, which is above 0.
    static func blur(_ source: Picture, sigma: Double, to target: Target) {
        let radius = Int((3 * sigma).rounded(.up))
        let bell = (0...radius).map { Float(exp(-0.5 * Double($0 * $0) / (sigma * sigma))) }
        let total = bell.dropFirst().reduce(bell[0]) { $0 + 2 * $1 }
        let weights = bell.map { $0 / total }
        let (width, height) = (source.width, source.height)
        var plain = (0..<width * height).map { Float(source.samples[$0]) }
        var rows = plain
        plain.withUnsafeMutableBufferPointer { plain in
            rows.withUnsafeMutableBufferPointer { rows in
                guard let plain = plain.baseAddress, let rows = rows.baseAddress else { return }
                for y in 0..<height {
                    self.convolve(plain + y * width, count: width, stride: 1, with: weights, to: rows + y * width)
                }
                for x in 0..<width {
                    self.convolve(rows + x, count: height, stride: width, with: weights, to: plain + x)
                }
                var index = 0
                while index < width * height {
                    target[index] = UInt8(min(255, plain[index] + 0.5))
                    index += 1
                }
            }
        }
    }

    /// Spreads the samples of one row or column over their neighbours; the outermost repeat.
    private static func convolve(
        _ line: UnsafePointer<Float>,
        count: Int,
        stride: Int,
        with weights: [Float],
        to target: UnsafeMutablePointer<Float>
    ) {
        weights.withUnsafeBufferPointer { weights in
            var place = 0
            while place < count {
                var sum = weights[0] * line[place * stride]
                var step = 1
                while step < weights.count {
                    let before = place < step ? 0 : place - step
                    let after = place + step < count ? place + step : count - 1
                    sum += weights[step] * (line[before * stride] + line[after * stride])
                    step += 1
                }
                target[place * stride] = sum
                place += 1
            }
        }
    }
}
