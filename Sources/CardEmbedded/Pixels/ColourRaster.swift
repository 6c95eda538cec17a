import CImaging

/// A colour picture in memory: packed rows of RGB, one byte per colour.
struct ColourRaster: Sendable {
    /// How one grey value is made of three colours.
    enum Greying {
        /// As the eye sees it (Rec. 601).
        case luma
        /// The brightest colour: black ink stays dark while coloured labels and the guilloche fade.
        case brightest
    }

    let width: Int
    let height: Int
    let pixels: [UInt8]

    /// Returns the picture averaged down so that its longer edge is at most `edge` pixels.
    func reduced(toLongestEdge edge: Int) -> ColourRaster {
        let longest = max(self.width, self.height)
        guard longest > edge else { return self }
        let width = max(1, self.width * edge / longest)
        let height = max(1, self.height * edge / longest)
        let pixels = PixelLoops.with(self.pixels, self.width, self.height, channels: 3) { source in
            PixelLoops.samples(width * height * 3) {
                PixelLoops.reduce(source, to: $0, width: width, height: height)
            }
        }
        return ColourRaster(width: width, height: height, pixels: pixels)
    }

    /// Returns what lies inside a quadrilateral as an upright rectangle.
    func rectified(_ quad: Quad, width: Int, height: Int) -> ColourRaster {
        let map = quad.mapFromRectangle(width: Double(width), height: Double(height))
        let pixels = PixelLoops.with(self.pixels, self.width, self.height, channels: 3) { source in
            PixelLoops.samples(width * height * 3) {
                PixelLoops.warp(source, by: map, to: $0, width: width, height: height)
            }
        }
        return ColourRaster(width: width, height: height, pixels: pixels)
    }

    /// Returns the picture in grey.
    func grey(_ kind: Greying) -> GreyRaster {
        let area = self.width * self.height
        let grey = PixelLoops.with(self.pixels, self.width, self.height, channels: 3) { source in
            PixelLoops.samples(area) { target in
                var pixel = source.samples
                var index = 0
                while index < area {
                    let (red, green, blue) = (pixel[0], pixel[1], pixel[2])
                    switch kind {
                    case .luma:
                        let sum: Int = Int(red) * 77 + Int(green) * 150 + Int(blue) * 29
                        target[index] = UInt8((sum + 128) >> 8)
                    case .brightest:
                        let most = red > green ? red : green
                        target[index] = most > blue ? most : blue
                    }
                    pixel += 3
                    index += 1
                }
            }
        }
        return GreyRaster(width: self.width, height: self.height, pixels: grey)
    }

    /// How colourful the picture is: the mean of the strongest less the weakest colour, 0…255.
    ///
    /// The three colours are first scaled to the same mean, so that grey paper under yellow light counts as grey.
    var chroma: Double {
        let area = self.width * self.height
        return PixelLoops.with(self.pixels, self.width, self.height, channels: 3) { source in
            var sums = [1.0, 1.0, 1.0]
            for index in 0..<area * 3 { sums[index % 3] += Double(source.samples[index]) }
            let mean = sums.reduce(0, +) / 3
            let gains = sums.map { mean / $0 }
            var chroma = 0.0
            for index in 0..<area {
                let pixel = (0..<3).map { Double(source.samples[index * 3 + $0]) * gains[$0] }
                chroma += (pixel.max() ?? 0) - (pixel.min() ?? 0)
            }
            return chroma / Double(area)
        }
    }
}

extension ColourRaster {
    /// Decodes a JPEG within the verifier's limits.
    ///
    /// - Parameters:
    ///   - jpeg: a whole JPEG file.
    ///   - edges: the dialect's limits: no edge shorter or longer than this, in pixels.
    /// - Throws: ``EmbeddedError`` `imageTooLarge` when an edge is out of range, else `imageUndecodable`.
    init(decoding jpeg: [UInt8], edges: ClosedRange<Int>) throws(EmbeddedError) {
        var limits = idci_limits()
        limits.max_pixels = UInt64(edges.upperBound * edges.upperBound)
        limits.max_memory_bytes = Limits.decodeBytes
        limits.max_scans = Limits.scans
        limits.max_milliseconds = Limits.decodeMilliseconds
        var header = idci_jpeg_header()
        let read = idci_jpeg_read_header(jpeg, jpeg.count, &limits, &header, nil, 0)
        let (width, height) = (Int(header.width), Int(header.height))
        guard read == IDCI_OK else { throw Self.error(read) }
        guard edges.contains(width), edges.contains(height) else {
            throw EmbeddedError(
                .imageTooLarge,
                "the picture has \(width) x \(height) pixels; send one with edges of \(edges.lowerBound) to "
                    + "\(edges.upperBound)"
            )
        }
        self = try Self.pixels(of: jpeg, header: header, limits: limits)
    }

    private static func pixels(
        of jpeg: [UInt8],
        header: idci_jpeg_header,
        limits: idci_limits
    ) throws(EmbeddedError) -> ColourRaster {
        var limits = limits
        let scale: UInt32 = max(header.width, header.height) > Limits.longestHeldEdge ? 4 : 8
        let width = Int(idci_jpeg_scaled_edge(header.width, scale))
        let height = Int(idci_jpeg_scaled_edge(header.height, scale))
        let count = width * height * 3
        var status = IDCI_OK
        let pixels = [UInt8](unsafeUninitializedCapacity: count) { target, initialized in
            status = idci_jpeg_decode(
                jpeg,
                jpeg.count,
                &limits,
                IDCI_JPEG_RGB,
                scale,
                target.baseAddress,
                width * 3,
                count,
                nil,
                0
            )
            initialized = status == IDCI_OK ? count : 0
        }
        guard status == IDCI_OK else { throw self.error(status) }
        return ColourRaster(width: width, height: height, pixels: pixels)
    }

    private static func error(_ status: idci_status) -> EmbeddedError {
        switch status {
        case IDCI_TOO_MANY_PIXELS, IDCI_EDGE_TOO_LONG:
            EmbeddedError(.imageTooLarge, "the picture has more pixels than are read; send a smaller one")
        default:
            EmbeddedError(
                .imageUndecodable,
                "the posted bytes are no JPEG that can be decoded (status \(status.rawValue)); send a whole JPEG"
            )
        }
    }
}
