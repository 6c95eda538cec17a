// CardRemote comes here.
