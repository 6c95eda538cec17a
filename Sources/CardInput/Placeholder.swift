// CardInput comes here.
