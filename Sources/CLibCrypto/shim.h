/* OpenSSL's libcrypto, for 3DES alone: swift-crypto has none. */
#include <openssl/evp.h>
