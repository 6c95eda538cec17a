// The tests of MultipartForm come here with the module.
