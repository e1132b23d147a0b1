/* SPDX-License-Identifier: MIT */
/* The languages of source files, by their names and by -x. */
#ifndef CC_LANGUAGE_H
#define CC_LANGUAGE_H

enum cc_language {
	/** What has no functions to measure: assembler, objects, libraries, other languages. */
	CC_LANGUAGE_OTHER,
	CC_LANGUAGE_C,
	CC_LANGUAGE_CXX,
	/** Headers to be precompiled. */
	CC_LANGUAGE_C_HEADER,
	CC_LANGUAGE_CXX_HEADER,
	/** By the name of the file: -x none. */
	CC_LANGUAGE_BY_NAME,
};

/** By the suffix of a file. */
enum cc_language cc_language_of_file(const char *path);

/** By a name of the option -x. */
enum cc_language cc_language_of_name(const char *name);

#endif
