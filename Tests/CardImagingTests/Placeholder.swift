// The tests of CardImaging come here with the module.
