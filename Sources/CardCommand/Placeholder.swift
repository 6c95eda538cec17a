// CardCommand comes here.
