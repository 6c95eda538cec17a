// MultipartForm comes here.
