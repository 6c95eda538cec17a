import ArgumentParser
import IDCardApp

/// The executable: everything worth testing is in `IDCardApp`.
@main
struct Main {
    static func main() async {
        StandardStreams.secure()
        ProcessSecrecy.begin()
        DescriptorLimit.raise()
        ProcessMemory.begin()
        DecodingChild.runIfAsked(CommandLine.arguments)
        await IDCardPipelineCommand.runToEnd()
    }
}
