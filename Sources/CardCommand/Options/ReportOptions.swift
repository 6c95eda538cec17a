import ArgumentParser

/// The options of a command that reports about the sandbox.
struct ReportOptions: ParsableArguments {
    @Option(help: "Format of the report.")
    var format = ReportFormat.text

    @OptionGroup var options: GlobalOptions
}

/// The options of a command that maintains the sandbox, reports, and has a line in the access log.
struct UpkeepOptions: ParsableArguments {
    @Option(help: "Format of the report.")
    var format = ReportFormat.text

    @OptionGroup var purpose: PurposeOptions

    @OptionGroup var options: GlobalOptions
}
