import IDCardApp
import Testing

@Suite("Texts of booleans, durations and byte counts")
struct ValueTextTests {
    @Test(
        "A boolean is true or false, or another word that YAML has for them",
        arguments: [
            ("true", true), ("false", false), ("yes", true), ("no", false), ("on", true), ("off", false),
            ("True", true),
            ("FALSE", false), ("Off", false),
        ]
    )
    func readsBoolean(text: String, expected: Bool) {
        #expect(BooleanText.parse(text) == expected)
    }

    @Test("Other words and numbers are no boolean", arguments: ["", "1", "0", "y", "n", "t", "truee", "ja", " true"])
    func refusesBoolean(text: String) {
        #expect(BooleanText.parse(text) == nil)
    }

    @Test(
        "A duration is a whole number and a unit",
        arguments: [
            ("500ms", Duration.milliseconds(500)), ("5s", .seconds(5)), ("10m", .seconds(600)), ("2h", .seconds(7200)),
            ("0s", .zero), ("0ms", .zero), ("90s", .seconds(90)), ("007s", .seconds(7)),
        ]
    )
    func readsDuration(text: String, expected: Duration) {
        #expect(DurationText.parse(text) == expected)
    }

    @Test(
        "Other forms of a duration are refused",
        arguments: [
            "", "5", "s", "ms", "5 s", "1.5s", "-5s", "+5s", "5S", "5sec", "5min", "1m30s", "5w", "1D", "٥s", "5s ",
            "9223372036854775807h", "99999999999999999999s", "0x10s", "1e3ms", "½s",
        ]
    )
    func refusesDuration(text: String) {
        #expect(DurationText.parse(text) == nil)
    }

    @Test(
        "A duration is written with the largest unit that keeps it whole",
        arguments: [
            (Duration.milliseconds(500), "500ms"), (.milliseconds(1500), "1500ms"), (.seconds(5), "5s"),
            (.seconds(60), "1m"), (.seconds(90), "90s"), (.seconds(7200), "2h"), (.zero, "0s"),
            (.seconds(86_400), "24h"), (.seconds(2_592_000), "30d"), (.seconds(90_000), "25h"),
        ]
    )
    func writesDuration(duration: Duration, expected: String) {
        #expect(DurationText.render(duration) == expected)
        #expect(DurationText.parse(expected) == duration)
    }

    @Test(
        "A byte count is plain or has a decimal or binary unit",
        arguments: [
            ("0", 0), ("1990000", 1_990_000), ("12B", 12), ("500KiB", 512_000), ("32MiB", 33_554_432),
            ("2MB", 2_000_000), ("3kB", 3000), ("3KB", 3000), ("1GB", 1_000_000_000), ("1GiB", 1_073_741_824),
            ("32 MiB", 33_554_432),
        ]
    )
    func readsByteCount(text: String, expected: Int) {
        #expect(ByteCountText.parse(text) == expected)
    }

    @Test(
        "Other forms of a byte count are refused",
        arguments: [
            "", "MiB", "1.5MiB", "-1", "+1", "1_000", "1,000", "32M", "32Mb", "32mib", "1TB", "32  MiB", " 32",
            "9223372036854775807KiB", "99999999999999999999", "0x10", "１２",
        ]
    )
    func refusesByteCount(text: String) {
        #expect(ByteCountText.parse(text) == nil)
    }

    @Test(
        "A byte count is written with a binary unit only if it is a whole number of them",
        arguments: [
            (0, "0"), (1023, "1023"), (1024, "1KiB"), (1_990_000, "1990000"), (33_554_432, "32MiB"), (1 << 30, "1GiB"),
        ]
    )
    func writesByteCount(bytes: Int, expected: String) {
        #expect(ByteCountText.render(bytes) == expected)
        #expect(ByteCountText.parse(expected) == bytes)
    }
}
