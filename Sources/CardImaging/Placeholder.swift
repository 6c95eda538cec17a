// CardImaging comes here.
