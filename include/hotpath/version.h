/* SPDX-License-Identifier: MIT */
/* The version of hotpath. The build checks that it is the project's. */
#ifndef HOTPATH_VERSION_H
#define HOTPATH_VERSION_H

#define HOTPATH_VERSION_MAJOR 0
#define HOTPATH_VERSION_MINOR 1
#define HOTPATH_VERSION_PATCH 0
#define HOTPATH_VERSION "0.1.0"

#endif
