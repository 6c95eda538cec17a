// The tests of CardEngine come here with the module.
