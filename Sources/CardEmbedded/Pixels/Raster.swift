/// A picture in memory: packed rows of 8-bit samples, one channel is grey (0 is black), three are RGB.
///
/// Its loops run over pointers; `Package.swift` has this module optimised in debug builds, too.
struct Raster: Sendable {
    typealias Samples = UnsafePointer<UInt8>
    typealias Target = UnsafeMutablePointer<UInt8>

    /// The conversion of three colours to one grey value.
    enum Greying {
        /// Perceived brightness (Rec. 601).
        case luma
        /// The brightest colour: black ink stays dark while coloured labels and the guilloche fade.
        case brightest
    }

    let width: Int
    let height: Int
    let channels: Int
    let pixels: [UInt8]

    /// Creates a picture from the samples of at least one pixel; their number determines the channels.
    init(width: Int, height: Int, pixels: [UInt8]) {
        let channels = pixels.count / (width * height)
        precondition(channels > 0 && pixels.count == width * height * channels, "A picture lacks samples.")
        self.width = width
        self.height = height
        self.channels = channels
        self.pixels = pixels
    }

    /// Returns a new picture; `fill` gets the samples of this picture and of the new one.
    func made(width: Int, height: Int, channels: Int, _ fill: (Samples, Target) -> Void) -> Raster {
        let pixels = self.withSamples { source in
            Self.samples(width * height * channels) { fill(source, $0) }
        }
        return Raster(width: width, height: height, pixels: pixels)
    }

    /// Makes samples, which are 0 until `fill` changes them.
    static func samples(_ count: Int, _ fill: (Target) -> Void) -> [UInt8] {
        [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            guard let target = buffer.baseAddress else { return }
            target.initialize(repeating: 0, count: count)
            fill(target)
            initialized = count
        }
    }

    func withSamples<Value>(_ body: (Samples) -> Value) -> Value {
        self.pixels.withUnsafeBufferPointer { buffer in
            guard let samples = buffer.baseAddress else { preconditionFailure("A picture has at least one pixel.") }
            return body(samples)
        }
    }

    func grey(_ kind: Greying) -> Raster {
        let area = self.width * self.height
        return self.made(width: self.width, height: self.height, channels: 1) { source, target in
            var pixel = source
            for index in 0..<area {
                let (red, green, blue) = (pixel[0], pixel[1], pixel[2])
                switch kind {
                case .luma:
                    let sum: Int = Int(red) * 77 + Int(green) * 150 + Int(blue) * 29
                    target[index] = UInt8((sum + 128) >> 8)
                case .brightest:
                    let brighter = red > green ? red : green
                    target[index] = brighter > blue ? brighter : blue
                }
                pixel += 3
            }
        }
    }

    /// The colourfulness of the picture: the mean of the strongest minus the weakest colour, 0…255.
    ///
    /// The three colours are first scaled to the same mean, so that grey paper under yellow light counts as grey.
    var chroma: Double {
        let area = self.width * self.height
        return self.withSamples { samples in
            var sums = [1.0, 1.0, 1.0]
            for index in 0..<area * 3 { sums[index % 3] += Double(samples[index]) }
            let mean = sums.reduce(0, +) / 3
            let gains = sums.map { mean / $0 }
            var chroma = 0.0
            for index in 0..<area {
                let pixel = (0..<3).map { Double(samples[index * 3 + $0]) * gains[$0] }
                chroma += (pixel.max() ?? 0) - (pixel.min() ?? 0)
            }
            return chroma / Double(area)
        }
    }
}
