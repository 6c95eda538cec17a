/// The mean grey around every pixel of a picture, by a summed-area table.
struct LocalMeans {
    private let width: Int
    private let height: Int
    /// One row and one column of zeros stand in front.
    private let sums: [UInt32]

    init(of picture: GreyRaster) {
        let (width, height) = (picture.width, picture.height)
        let stride = width + 1
        self.width = width
        self.height = height
        self.sums = [UInt32](unsafeUninitializedCapacity: stride * (height + 1)) { buffer, initialized in
            guard let table = buffer.baseAddress else { return }
            table.initialize(repeating: 0, count: stride * (height + 1))
            PixelLoops.with(picture.pixels, width, height, channels: 1) { source in
                var y = 0
                while y < height {
                    let (line, above, here) = (source.samples + y * width, table + y * stride, table + (y + 1) * stride)
                    var row: UInt32 = 0
                    var x = 0
                    while x < width {
                        row += UInt32(line[x])
                        here[x + 1] = above[x + 1] + row
                        x += 1
                    }
                    y += 1
                }
            }
            initialized = stride * (height + 1)
        }
    }

    /// Calls with every pixel's place and the mean of the square of side `2 * radius + 1` around it.
    func forEach(radius: Int, _ body: (_ index: Int, _ mean: Double) -> Void) {
        let (width, height, stride) = (self.width, self.height, self.width + 1)
        self.sums.withUnsafeBufferPointer { buffer in
            guard let table = buffer.baseAddress else { return }
            var y = 0
            while y < height {
                let top = y > radius ? y - radius : 0
                let bottom = y + radius + 1 < height ? y + radius + 1 : height
                let (upper, lower) = (table + top * stride, table + bottom * stride)
                var x = 0
                while x < width {
                    let left = x > radius ? x - radius : 0
                    let right = x + radius + 1 < width ? x + radius + 1 : width
                    // Differences of wrapped sums are right as long as the square's own sum fits.
                    let sum = lower[right] &- lower[left] &- upper[right] &+ upper[left]
                    body(y * width + x, Double(sum) / Double((right - left) * (bottom - top)))
                    x += 1
                }
                y += 1
            }
        }
    }
}
