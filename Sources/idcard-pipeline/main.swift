import CardCommand

await IDCardPipelineCommand.start()
