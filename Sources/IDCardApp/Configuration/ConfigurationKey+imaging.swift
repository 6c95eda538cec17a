extension ConfigurationKey {
    static let imagingKeys = [
        ConfigurationKey(
            "imaging.quality",
            .number(0...1),
            .value("0.5"),
            "JPEG quality to start with, as in UIImageJPEGRepresentation; libjpeg's scale is 100 times that."
        ),
        ConfigurationKey(
            "imaging.min_quality",
            .number(0...1),
            .value("0.3"),
            "Lowest quality tried to keep the byte budget, before the picture is made smaller."
        ),
        ConfigurationKey(
            "imaging.max_edge",
            .integer(48...65_500),
            .value("1600"),
            "Longest edge of the prepared image, in pixels; smaller photos are not enlarged."
        ),
        ConfigurationKey(
            "imaging.byte_budget",
            .byteCount(10_000...100_000_000),
            .value("1990000"),
            "Most bytes of the prepared image; with the form around it, it stays under 2,000,000."
        ),
        ConfigurationKey(
            "imaging.recompress",
            .choice(["always", "when_needed"]),
            .value("always"),
            "Whether images that already keep all limits are encoded anew."
        ),
        ConfigurationKey(
            "imaging.concurrency",
            .integer(1...1024),
            .computed("number of cores"),
            "Images prepared at the same time."
        ),
        ConfigurationKey(
            "imaging.max_source_bytes",
            .byteCount(1024...(1 << 30)),
            .value("32MiB"),
            "Most bytes of a source image."
        ),
        ConfigurationKey(
            "imaging.max_pixels",
            .integer(10_000...1_000_000_000),
            .value("50000000"),
            "Most pixels of a source image, refused before decoding."
        ),
        ConfigurationKey(
            "imaging.max_source_edge",
            .integer(48...65_500),
            .value("65500"),
            "Longest edge of a source image, in pixels, refused before decoding."
        ),
        ConfigurationKey(
            "imaging.max_scans",
            .integer(1...10_000),
            .value("100"),
            "Most scans of a progressive JPEG; cameras write about ten."
        ),
        ConfigurationKey(
            "imaging.max_decode_bytes",
            .byteCount((1 << 20)...(1 << 34)),
            .value("96MiB"),
            "Most memory for decoding one image."
        ),
        ConfigurationKey(
            "imaging.max_decode_time",
            .duration(.milliseconds(100)...(.seconds(600))),
            .value("10s"),
            "Longest time for decoding one image."
        ),
        ConfigurationKey(
            "imaging.isolation",
            .choice(["none", "process"]),
            .value("none"),
            "Where images are decoded: in this process, or each in a child with limits of its own (slower, safer)."
        ),
        ConfigurationKey(
            "imaging.max_crashes",
            .integer(1...100),
            .value("3"),
            "How often an image may bring the process down before it is decoded in a child."
        ),
        ConfigurationKey(
            "imaging.max_attempts",
            .integer(1...1000),
            .value("5"),
            "How often a received image may fail to be prepared for want of memory or time before its card has failed."
        ),
    ]
}
