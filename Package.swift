// swift-tools-version: 6.2
// The modules and who may import whom.

import PackageDescription

let package = Package(
    name: "idcard-pipeline",
    products: [.executable(name: "idcard-pipeline", targets: ["idcard-pipeline"])],
    traits: [
        .trait(
            name: "TripleDES",
            description: "Reads replies in Base64 3DES, which some business backends give; needs libssl-dev."
        ),
        .default(enabledTraits: ["TripleDES"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-extras", from: "1.35.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.0"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.28.1"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
        .package(url: "https://github.com/swift-server/async-http-client", .upToNextMinor(from: "1.37.0")),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.13.0"),
        .package(url: "https://github.com/swiftcsv/SwiftCSV", from: "0.10.0"),
        .package(url: "https://github.com/swiftlang/swift-subprocess", from: "1.0.2"),
    ],
    targets: [
        // The vocabulary and the leaves.
        .target(name: "CFolders"),
        // C code names no library to the linker, as the module maps do for Swift code; and `pkg-config` may be missing.
        .systemLibrary(name: "CLibJPEG", pkgConfig: "libjpeg", providers: [.apt(["libjpeg-dev"])]),
        .systemLibrary(name: "CPNG", pkgConfig: "libpng", providers: [.apt(["libpng-dev"])]),
        .systemLibrary(name: "CLibCrypto", pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .target(name: "MultipartForm"),
        // The texts of people in other languages than English: nothing but data.
        .target(name: "CLanguages", exclude: ["texts"]),
        .target(name: "CardModel", dependencies: ["CLanguages", .crypto]),
        .target(
            name: "CImaging",
            dependencies: ["CLibJPEG", "CPNG"],
            linkerSettings: [.linkedLibrary("jpeg"), .linkedLibrary("png")]
        ),
        .target(name: "CardImaging", dependencies: ["CardModel", "CImaging"]),
        .target(
            name: "CardRemote",
            dependencies: [
                "CardModel", "MultipartForm",
                .target(name: "CLibCrypto", condition: .when(traits: ["TripleDES"])),
                .asyncHTTPClient, .crypto, .nioCore, .nioHTTP1, .nioHTTPCompression, .nioPosix, .nioSSL,
            ]
        ),
        .target(name: "CardStore", dependencies: ["CardModel", .crypto, .grdb, .grdbSQLite]),
        .target(name: "CardEngine", dependencies: ["CardModel", "CardStore", .log]),
        .target(
            name: "CardInput",
            dependencies: ["CardModel", "CardStore", "CardEngine", "CFolders", .csv, .deque, .heap, .system]
        ),
        // The way in over HTTP.
        .target(
            name: "CardServer",
            dependencies: [
                "CardEngine", "CardModel", "CardStore", "MultipartForm", .crypto, .hummingbird, .lifecycle, .log,
                .nioCore, .nioHTTP1, .nioPosix, .nioSSL,
            ],
            resources: [
                .embedInCode("API/openapi.json"), .embedInCode("Console/Assets/console.css"),
                .embedInCode("Console/Assets/console.js"), .embedInCode("Console/Assets/icon.svg"),
            ]
        ),
        // The built-in remote side: shares no client, store or engine code.
        .target(
            name: "CardEmbedded",
            dependencies: [
                "MultipartForm", "CImaging", .crypto, .hummingbird, .lifecycle, .log, .nioCore, .subprocess, .system,
            ]
        ),
        .target(
            name: "CardCommand",
            dependencies: [
                "CardEmbedded", "CardEngine", "CardImaging", "CardInput", "CardModel", "CardRemote",
                "CardServer", "CardStore", .argumentParser, .lifecycle, .log, .nioPosix, .subprocess, .system,
                .unixSignals, .yams,
            ]
        ),
        .executableTarget(name: "idcard-pipeline", dependencies: ["CardCommand", .argumentParser]),

        // Marked photos, the fault server, the ledger backend, manual time; never imported by Sources.
        .target(
            name: "TestSupport",
            dependencies: ["CardModel", .crypto, .log, .nioCore, .nioHTTP1, .nioPosix, .nioSSL],
            path: "Tests/Support"
        ),
        // What daily work costs with a million cards: scripts/scale.
        .executableTarget(name: "card-scale", dependencies: ["CardModel", "CardStore", .grdb], path: "Tests/Scale"),
        .testTarget(name: "MultipartFormTests", dependencies: ["MultipartForm", .subprocess, .system]),
        .testTarget(name: "CardModelTests", dependencies: ["CardModel", "TestSupport"]),
        .testTarget(
            name: "CardImagingTests",
            dependencies: ["CardImaging", "CardModel", "CImaging", "CLibJPEG", "TestSupport"]
        ),
        .testTarget(
            name: "CardRemoteTests",
            dependencies: [
                "CardRemote", "CardModel", "MultipartForm", "TestSupport", .nioCore, .nioHTTP1, .nioPosix, .nioSSL,
            ]
        ),
        .testTarget(name: "CardStoreTests", dependencies: ["CardStore", "CardModel", "TestSupport", .grdb]),
        .testTarget(
            name: "CardEngineTests",
            dependencies: ["CardEngine", "CardStore", "CardModel", "TestSupport", .log]
        ),
        .testTarget(
            name: "CardInputTests",
            dependencies: ["CardInput", "CardEngine", "CardStore", "CardModel", "TestSupport"]
        ),
        .testTarget(
            name: "CardServerTests",
            dependencies: [
                "CardServer", "CardEngine", "CardModel", "CardStore", "MultipartForm", "TestSupport", .crypto,
                .hummingbird, .lifecycle, .log, .nioCore, .nioPosix, .nioSSL,
            ]
        ),
        .testTarget(
            name: "CardEmbeddedTests",
            dependencies: ["CardEmbedded", "CImaging", "MultipartForm", "TestSupport", .log, .nioCore]
        ),
        .testTarget(
            name: "CardCommandTests",
            dependencies: [
                "CardCommand", "CardEngine", "CardInput", "CardModel", "CardRemote", "CardStore",
                "TestSupport", .log, .nioCore, .nioHTTP1, .subprocess, .system,
            ]
        ),
    ]
)

extension Target.Dependency {
    static let argumentParser = product(name: "ArgumentParser", package: "swift-argument-parser")
    static let asyncHTTPClient = product(name: "AsyncHTTPClient", package: "async-http-client")
    static let crypto = product(name: "Crypto", package: "swift-crypto")
    static let csv = product(name: "SwiftCSV", package: "SwiftCSV")
    static let deque = product(name: "DequeModule", package: "swift-collections")
    static let grdb = product(name: "GRDB", package: "GRDB.swift")
    static let grdbSQLite = product(name: "GRDBSQLite", package: "GRDB.swift")
    static let heap = product(name: "HeapModule", package: "swift-collections")
    static let hummingbird = product(name: "Hummingbird", package: "hummingbird")
    static let lifecycle = product(name: "ServiceLifecycle", package: "swift-service-lifecycle")
    static let log = product(name: "Logging", package: "swift-log")
    static let nioCore = product(name: "NIOCore", package: "swift-nio")
    static let nioHTTPCompression = product(name: "NIOHTTPCompression", package: "swift-nio-extras")
    static let nioHTTP1 = product(name: "NIOHTTP1", package: "swift-nio")
    static let nioPosix = product(name: "NIOPosix", package: "swift-nio")
    static let nioSSL = product(name: "NIOSSL", package: "swift-nio-ssl")
    static let subprocess = product(name: "Subprocess", package: "swift-subprocess")
    static let yams = product(name: "Yams", package: "Yams")
    static let unixSignals = product(name: "UnixSignals", package: "swift-service-lifecycle")
    static let system = product(name: "SystemPackage", package: "swift-system")
}

for target in package.targets where target.type != .system {
    target.swiftSettings = [
        // SE-0335: an existential is spelled `any P`.
        .enableUpcomingFeature("ExistentialAny"),
        // SE-0444: a member is visible only where its module is imported.
        .enableUpcomingFeature("MemberImportVisibility"),
        // SE-0409: imports are internal unless they say otherwise.
        .enableUpcomingFeature("InternalImportsByDefault"),
        // SE-0461: an async function runs where its caller runs; CPU work must be sent away on purpose.
        .enableUpcomingFeature("NonisolatedNonsendingByDefault"),
        // SE-0480: a warning is an error.
        .treatAllWarnings(as: .error),
    ]
}

// Work on pixels and long bodies is unbearably slow without optimisation, in the debug build that a newcomer and the tests run,
// too: the built-in verifier, and what tests make and compare.
let optimised: Set = ["CardEmbedded", "CardImagingTests", "MultipartFormTests", "TestSupport"]
for target in package.targets where optimised.contains(target.name) {
    target.swiftSettings?.append(.unsafeFlags(["-O"], .when(configuration: .debug)))
}
for target in package.targets where target.name == "CImaging" {
    target.cSettings = [.unsafeFlags(["-O2"], .when(configuration: .debug))]
}

// `ONLY=CardStore swift test` builds that module, what it needs, its tests, and nothing else.
if let only = Context.environment["ONLY"] {
    var kept: Set<String> = [only, only + "Tests"]
    var count = 0
    while count != kept.count {
        count = kept.count
        for target in package.targets where kept.contains(target.name) {
            for dependency in target.dependencies {
                switch dependency {
                case .targetItem(let name, _), .byNameItem(let name, _): kept.insert(name)
                default: break
                }
            }
        }
    }
    package.targets.removeAll { !kept.contains($0.name) }
    package.products = []
}
