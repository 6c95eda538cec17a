// The whole module; exported names begin with idci_.

#ifndef IDCI_CIMAGING_H
#define IDCI_CIMAGING_H

#include "idci_confinement.h"
#include "idci_image.h"
#include "idci_jpeg.h"
#include "idci_planes.h"
#include "idci_png.h"

#endif
