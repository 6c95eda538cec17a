// The tests of CardStore come here with the module.
