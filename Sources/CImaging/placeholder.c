#include "CImaging.h"
void idci_placeholder(void) {}
