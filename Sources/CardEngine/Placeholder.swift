// CardEngine comes here.
