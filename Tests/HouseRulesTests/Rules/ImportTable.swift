/// Who may import whom.
///
/// Imports run downward only, siblings never import each other. What is in none of the lists is a finding: a new module
/// or package is a decision.
enum ImportTable {
    /// Our own modules, by the modules that may import them.
    static let own: [String: Set<String>] = [
        "CConfinement": [],
        "CFolders": [],
        "CJPEG": ["CLibJPEG"],
        "CLibCrypto": [],
        "CLibJPEG": [],
        "CPNG": [],
        "CPNGReader": ["CPNG"],
        "MultipartForm": [],
        "IDCardCore": [],
        "IDCardImaging": ["IDCardCore", "CConfinement", "CJPEG", "CPNG", "CPNGReader"],
        "OutboundHTTP": ["IDCardCore", "MultipartForm"],
        "IDCardVerification": ["IDCardCore", "OutboundHTTP", "MultipartForm"],
        "IDCardDelivery": ["IDCardCore", "OutboundHTTP", "MultipartForm", "CLibCrypto"],
        "IDCardPipeline": ["IDCardCore"],
        "IDCardSandbox": ["IDCardCore", "IDCardPipeline", "CFolders"],
        "IDCardTriggers": ["IDCardCore", "IDCardPipeline", "CFolders"],
        "IDCardFetch": ["IDCardCore", "IDCardPipeline", "OutboundHTTP"],
        "IDCardServer": ["IDCardCore", "IDCardPipeline", "MultipartForm"],
        // Shares no client or engine code, so that client and server cannot agree on the same mistake.
        "IDCardEmbedded": ["MultipartForm", "CFolders", "CJPEG", "CLibCrypto"],
        "IDCardApp": [
            "IDCardCore", "IDCardDelivery", "IDCardEmbedded", "IDCardFetch", "IDCardImaging", "IDCardPipeline",
            "IDCardSandbox",
            "IDCardServer",
            "IDCardTriggers", "IDCardVerification", "MultipartForm", "OutboundHTTP",
        ],
        "idcard-pipeline": ["IDCardApp"],
        "idcard-microbench": ["IDCardCore", "IDCardImaging", "IDCardPipeline", "IDCardSandbox", "MultipartForm"],
        "IDCardTesting": ["IDCardCore", "IDCardPipeline"],
    ]

    /// Free to all.
    static let free: Set<String> = [
        "Configuration", "Dispatch", "Foundation", "FoundationEssentials", "FoundationXML", "Glibc", "Logging",
        "Metrics", "Musl",
        "ServiceLifecycle", "Synchronization",
    ]

    /// Other packages, by the modules that may import them.
    static let packages: [String: Set<String>] = [
        "ArgumentParser": ["IDCardApp", "idcard-pipeline"],
        "AsyncAlgorithms": ["IDCardPipeline", "IDCardTriggers", "IDCardServer", "IDCardApp"],
        "AsyncHTTPClient": ["OutboundHTTP"],
        "CoreMetrics": ["IDCardServer"],
        "Crypto": [
            "IDCardCore", "IDCardFetch", "IDCardVerification", "IDCardSandbox", "IDCardEmbedded", "IDCardServer",
        ],
        "GRDB": ["IDCardSandbox"],
        // SQLite as GRDB finds it, for what GRDB does not offer.
        "GRDBSQLite": ["IDCardSandbox"],
        "HTTPTypes": ["IDCardServer", "IDCardEmbedded", "IDCardApp"],
        "Hummingbird": ["IDCardServer", "IDCardEmbedded", "IDCardApp"],
        "HummingbirdCore": ["IDCardServer", "IDCardEmbedded", "IDCardApp"],
        "HummingbirdTLS": ["IDCardServer", "IDCardEmbedded", "IDCardApp"],
        "NIOCore": ["OutboundHTTP", "IDCardFetch", "IDCardServer", "IDCardEmbedded", "IDCardApp", "IDCardTesting"],
        "NIOHTTP1": ["OutboundHTTP", "IDCardFetch", "IDCardServer", "IDCardEmbedded", "IDCardApp", "IDCardTesting"],
        "NIOPosix": ["OutboundHTTP", "IDCardFetch", "IDCardServer", "IDCardEmbedded", "IDCardApp", "IDCardTesting"],
        "NIOSSL": ["OutboundHTTP", "IDCardFetch", "IDCardServer", "IDCardEmbedded", "IDCardApp", "IDCardTesting"],
        "Subprocess": ["IDCardEmbedded", "IDCardApp"],
        "SwiftCSV": ["IDCardTriggers"],
        "SystemPackage": ["IDCardEmbedded", "IDCardApp"],
        "UnixSignals": ["IDCardApp"],
    ]
}
