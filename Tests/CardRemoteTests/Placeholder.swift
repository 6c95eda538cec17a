// The tests of CardRemote come here with the module.
