// The tests of CardInput come here with the module.
