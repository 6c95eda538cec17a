import CardEngine
import CardImaging
import CardInput
import CardModel
import CardRemote
import CardStore

/// At most ten years; 0 stands for longer.
private let retentions = Duration.zero...Duration.seconds(3650 * 86_400)

// Each key stands on one line.
// swift-format-ignore
extension ConfigurationKey {
    static let sandbox: [ConfigurationKey] = [
        ConfigurationKey("sandbox.path", \.sandboxPath, .path).defaults(to: "$XDG_DATA_HOME/idcard-pipeline/sandbox, with --embedded …/embedded").means("Folder of the sandbox, which stores all cards; files in it are never imported."),
        ConfigurationKey("sandbox.intake_free_space", \.engine.intakeFreeSpace, .bytes(0...(1 << 50))).means("Free space that the disk of the sandbox must have for photos to be imported."),
        .optional("vault.key_file", \.vault.keyFile, .path).defaults(to: "$XDG_CONFIG_HOME/idcard-pipeline/vault.key, with --embedded …/embedded.key").means("File (mode 0600) with the keys of the sandbox, the current key first; the command keys init makes this file."),
        .optional("vault.key", \.vault.key, .secret).means("Keys of the sandbox, separated by commas, the current key first; set only one of vault.key, vault.key_file and vault.key_command."),
        .optional("vault.key_command", \.vault.keyCommand, .command).means("Command for /bin/sh -c that prints the keys of the sandbox, one per line, the current one first."),
    ]

    static let imaging: [ConfigurationKey] = [
        ConfigurationKey("imaging.quality", \.imaging.quality, .number(0...1)).means("JPEG quality to start with, on the scale of UIImageJPEGRepresentation (0.5 here is 50 in libjpeg)."),
        ConfigurationKey("imaging.min_quality", \.imaging.minQuality, .number(0...1)).means("Lowest image quality tried before the number of pixels is reduced."),
        ConfigurationKey("imaging.max_edge", \.imaging.maxEdge, .integer(48...65_500)).means("Longest edge of the prepared image in pixels; smaller photos are not enlarged."),
        ConfigurationKey("imaging.byte_budget", \.imaging.byteBudget, .bytes(10_000...100_000_000)).means("Maximum size of the prepared image; the form that carries the image is up to 10000 bytes larger."),
        ConfigurationKey("imaging.recompress", \.imaging.recompress, .word([.always, .whenNeeded])).means("Whether photos that already meet all limits are recompressed, too."),
        ConfigurationKey("imaging.concurrency", \.engine.preparing, .integer(0...1024)).means("Images prepared in parallel; 0 means one per core."),
        ConfigurationKey("imaging.max_source_bytes", \.imaging.maxSourceBytes, .bytes(1024...(1 << 30))).means("Maximum size of a photo."),
        ConfigurationKey("imaging.max_pixels", \.imaging.maxPixels, .integer(1_000_000...1_000_000_000)).means("Maximum number of pixels of a photo."),
        ConfigurationKey("imaging.isolation", \.isolation, .word).means("Where photos are decoded: auto, those that came by HTTP, webhook or URL each in a confined process of its own (27 ms more at 12 megapixels, 7 ms at 1), files in this process; process, each photo so; none, all in this process."),
    ]

    static let server: [ConfigurationKey] = [
        ConfigurationKey("server.listen", \.server.listen, .text).means("Address and port of the command serve; other machines can reach it only if server.tls is set. Port 0 means any free port."),
        .optional("server.tls.certificate", \.server.certificate, .path).means("PEM file with certificate and chain for the command serve; reread at SIGHUP."),
        .optional("server.tls.key", \.server.key, .path).means("PEM file (mode 0600) with the private key of the certificate in server.tls.certificate."),
        .optional("server.tokens_file", \.server.tokensFile, .path).defaults(to: "$XDG_CONFIG_HOME/idcard-pipeline/tokens.json").means("File (mode 0600) that lists the clients, each with a hash of its token."),
        ConfigurationKey("server.rate_limit", \.server.rateLimit, .integer(1...1_000_000)).means("Maximum number of requests per minute for one token name. If several tokens have the same name, their requests are counted together."),
        ConfigurationKey("server.cors_origins", \.server.corsOrigins, .list).means("Origins whose pages may use the API in a browser, such as https://desk.example."),
        .optional("webhooks.secrets", \.webhooks.secrets, .secret).means("Secrets of webhook senders (Standard Webhooks), each NAME=whsec_…, separated by commas; without one, webhooks are refused."),
        .optional("webhooks.secrets_file", \.webhooks.secretsFile, .path).means("File (mode 0600) with the secrets of webhook senders, one per line; reread at SIGHUP."),
    ]

    static let intake: [ConfigurationKey] = [
        ConfigurationKey("intake.business_no_from", \.businessNumberFrom, .name).means("Which part of a photo's path is its business number: folder, folder:LEVEL, root, pattern:REGEX or none."),
        ConfigurationKey("cases.sides", \.sides, .word).means("Which sides a case needs; with both, run ends with exit status 1 if a case of its inputs lacks a side and nothing is in progress."),
        ConfigurationKey("review.four_eyes", \.fourEyes, .actions).means("Decisions about a card that are carried out only when a second person decides the same."),
        ConfigurationKey("sources", \.sources, .namedPaths).means("Folders or manifests that a request POST /v1/runs can import, each written as NAME=PATH; the request names one of them."),
        ConfigurationKey("fetch.hosts", \.fetch.hosts, .list).means("Hosts that photos named by URL may come from: names, or *.suffix; if none is named, nothing is fetched."),
        ConfigurationKey("fetch.allow_addresses", \.fetch.allowedAddresses, .list).means("Non-public address blocks (CIDR) from which photos may be fetched, too."),
        ConfigurationKey("fetch.allow_http", \.fetch.allowsHTTP, .yesOrNo).means("Whether URLs of images may begin with http:// (not encrypted)."),
        ConfigurationKey("fetch.ports", \.fetch.ports, .list).means("Ports that URLs may name."),
        ConfigurationKey("fetch.max_redirects", \.fetch.maximumRedirects, .integer(0...10)).means("Maximum number of redirects to follow; each is checked like the URL itself."),
        .optional("fetch.tls.ca_file", \.fetch.caFile, .path).means("PEM file with certificate authorities; only these are trusted when photos named by URL are fetched."),
    ]

    static let watch: [ConfigurationKey] = [
        ConfigurationKey("watch.folders", \.watch.folders, .paths).means("Folders to watch, with all folders below them; if the command line of watch names folders, those are watched instead."),
        ConfigurationKey("watch.mode", \.watch.mode, .word).means("How changes are detected: inotify with rescans, or polling only."),
        ConfigurationKey("watch.after", \.watch.after, .word).means("What happens to a file once its card is stored."),
        ConfigurationKey("watch.quiet_time", \.watch.quietTime, .duration(.milliseconds(10)...(.seconds(86_400)))).means("How long a file must stay unchanged to count as complete; if inotify reports earlier that the file is complete, the wait ends."),
        .optional("watch.done_marker", \.watch.doneMarker, .name).means("Suffix of the marker file for a complete photo: with .done, a.jpg is imported once the file a.jpg.done exists."),
        ConfigurationKey("watch.ignore", \.watch.ignore, .patterns).means("Patterns of the names of files that are never imported; unfinished copies are never imported, whatever the patterns are."),
        ConfigurationKey("watch.sidecar", \.watch.sidecar, .word).means("Whether a photo waits for its sidecar IMAGE.json."),
        ConfigurationKey("watch.sidecar_wait", \.watch.sidecarWait, .duration(.zero...(.seconds(86_400)))).means("How long a photo waits for an optional sidecar; then it is imported without one."),
    ]

    static let upkeep: [ConfigurationKey] = [
        .optional("retention.delivered", \.engine.retention.delivered, .duration(retentions)).means("How long a delivered card is kept; 0s means forever."),
        .optional("retention.rejected", \.engine.retention.rejected, .duration(retentions)).means("How long a rejected or superseded card is kept; 0s means forever."),
        .optional("retention.failed", \.engine.retention.failed, .duration(retentions)).means("How long a failed card is kept; 0s means forever."),
        .optional("retention.held", \.engine.retention.held, .duration(retentions)).means("How long a waiting card is kept: a card that waits for a person's decision, or a back that waits for its front; 0s means forever."),
        .optional("retention.images", \.engine.retention.images, .duration(retentions)).means("How long the image of a delivered card is kept; 0s means as long as the card."),
        ConfigurationKey("log.level", \.logLevel, .word).means("Lowest severity that is logged to standard error."),
        ConfigurationKey("log.format", \.logFormat, .word).means("Format of the log lines."),
        .optional("language", \.language, .word).means("Language of what people read: texts of commands, notes and answers; the log stays English."),
        .optional("time_zone", \.timeZone, .timeZone).means("Zone of the times that people read, by its IANA name; without it that of the system. The log and JSON have UTC."),
    ]
}
