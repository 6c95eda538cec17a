// The tests of CardCommand come here with the module.
