/* SPDX-License-Identifier: MIT */
/*
 * From a segment to a model.
 *
 * A segment may come from anyone: nothing in it is believed before it is checked against its size.
 */
#ifndef HP_READER_H
#define HP_READER_H

#include "flow/flow_event.h"
#include "model.h"
#include "process_name.h"

#include <stddef.h>
#include <sys/types.h>

/** The bytes of a segment, copied from its file, in memory of their own. */
struct hp_image {
	void *bytes;
	size_t size;
};

/** Room for the one line that says what is wrong. */
struct hp_error {
	char text[256];
};

/** For a file that the user named explicitly: any owner, any folder. */
#define HP_ANY_USER UINT32_MAX

/**
 * Open a segment's file to read it. Pipes and devices do not hold it up.
 *
 * @param user
 *         The folder and the file must belong to this user, and nobody else may write to the folder. Both are checked
 *         after opening them, so they cannot be exchanged in between. HP_ANY_USER for no check.
 * @return
 *         A descriptor, or a negative errno: -EINVAL for what is no file, -EPERM for a file or folder of others.
 */
int hp_segment_open(const char *path, uint32_t user);

/** The same for a file in a folder that is open and was checked. */
int hp_segment_open_in(int folder, const char *name, uint32_t user);

/**
 * Copy a segment's used part into memory.
 *
 * @param user
 *         As for hp_segment_open.
 * @return
 *         0, or a negative errno with the reason in error: -ENOENT, -EACCES, -EINVAL for a file that
 *         is no segment, -ENOTSUP for one of another version.
 */
int hp_image_read(const char *path, uint32_t user, struct hp_image *image, struct hp_error *error);

void hp_image_free(struct hp_image *image);

/**
 * Build a model from a segment in memory. The segment may change meanwhile.
 *
 * @param exit
 *         How the process ended, if known from waitpid or /proc; NULL otherwise.
 * @param with_tree
 *         Whether to read the call tree too, which takes as long as the rest. It is always read if CPU time was
 *         sampled, or calls are in progress: only the tree has their self time, and what was called inside.
 * @return
 *         NULL with the reason in error.
 */
struct hp_model *hp_model_read(const void *bytes, size_t size, const struct hp_exit *exit,
			       bool with_tree, struct hp_error *error);

/** How a segment is read that is mapped from its file, which counts as our memory as far as it was touched. */
struct hp_mapped_read {
	/**
	 * Called after every few megabytes that were touched, so that the caller can give them back; they are touched again
	 * when needed. NULL for none.
	 */
	void (*pause)(void *context);
	void *context;
	/**
	 * Called when all names are known, which takes long, and the figures are about to be read: what the kernel knows of the
	 * process is to be read at this moment. NULL for none.
	 */
	void (*moment)(void *taker);
	void *taker;
	/** The rate of the clock by which times are converted; 0 for that in the segment. */
	uint64_t ticks_per_second;
};

/** The same for a segment that is mapped, with its call tree. */
struct hp_model *hp_model_read_mapped(const void *bytes, size_t size, const struct hp_exit *exit,
				      const struct hp_mapped_read *how, struct hp_error *error);

/** One recent call. */
struct hp_recent {
	uint64_t duration_ns;
	/** Age, relative to the newest event in the segment. */
	uint64_t ago_ns;
	/** 0 if the thread has ended and another thread uses its lane. */
	uint32_t tid;
	/** An enum hp_value; numbers are in bits, strings in text. */
	uint32_t value_kind;
	uint64_t value;
	char text[HP_LONG_TEXT_MAX];
};

/**
 * The newest calls of the functions with a name, newest first.
 *
 * @param recent
 *         An array from malloc, to be freed; NULL when there are none.
 * @return
 *         How many there are, or a negative errno with the reason in error: -ENOENT when no function
 *         has that name.
 */
ssize_t hp_recent_calls(const void *bytes, size_t size, const char *name, struct hp_recent **recent,
			struct hp_error *error);

/**
 * The newest messages, items, futures or values of those with a name, newest first.
 *
 * @param kind
 *         Set to their kind. If several kinds have that name, it is the one that was used first.
 * @param events
 *         An array from malloc, to be freed; NULL when there are none.
 * @return
 *         How many there are, or a negative errno with the reason in error: -ENOENT when there is nothing by
 *         that name.
 */
ssize_t hp_flow_events(const void *bytes, size_t size, const char *name, enum hp_site_kind *kind,
		       struct hp_flow_event **events, struct hp_error *error);

/** A thread that calls a function. */
struct hp_calling {
	/** 0 if the thread has ended; then this may be several threads that used the lane one after the other. */
	uint32_t tid;
	char name[HP_NAME_MAX];
	/** As in a row of the model. */
	uint64_t calls;
	uint64_t open;
	uint64_t total_ns;
};

/** One segment file. */
struct hp_found {
	char *path;
	/** From the file's header; empty if the file is not a readable segment. */
	char *program;
	char *arguments;
	char *executable;
	/** The first word of the command line: the present one if the process runs, else as last recorded. */
	char *title;
	/** The user whose folder and file it is. */
	uint32_t user;
	uint32_t pid;
	uint32_t parent_pid;
	/** An enum hp_state. */
	uint32_t state;
	/** When the segment was made, and when the process was started. */
	uint64_t start_unix_ns;
	uint64_t process_unix_ns;
	/** Memory or disk it takes. */
	uint64_t bytes;
	/** The process is running and writes to it, or might be, if that cannot be known. */
	bool live;
	/** It runs in another PID namespace, or did: here its id belongs to another process, or to none. */
	bool is_elsewhere;
	/** `hotpath attach` writes it, or has written it, not the process. */
	bool is_attached;
	/** The program started as root, and was another user when it created the segment. */
	bool was_root;
	/** Nothing was measured after it was created. */
	bool is_empty;
	/** Another version of hotpath writes it, or has written it: only the file is known. */
	bool is_other_version;
	/** The process was forked, and had executed no program since then. */
	bool is_forked;
	/** Which `hotpath run` started it, or empty. */
	char run[HP_RUN_MAX];
};

struct hp_found_list {
	struct hp_found *items;
	size_t count;
};

/**
 * Find the segments in the folders that a program of this user would use, newest first. Only files of the folder's
 * owner count: a default folder that somebody else has made, or can write to, is ignored.
 *
 * @return
 *         0; or a negative errno with the reason in error, also where $HOTPATH_DIR is such a folder. No folder means
 *         no segments.
 */
int hp_find_segments(struct hp_found_list *list, struct hp_error *error);

/** Find segments, but none that was made before some time: its name tells that, and it is not read. */
int hp_find_segments_since(struct hp_found_list *list, uint64_t since_unix_ns,
			   struct hp_error *error);

/** Remove its file, unless that or its folder has become somebody else's. Returns 0 or a negative errno. */
int hp_found_remove(const struct hp_found *found);

/** What it is called. The strings are those of what was found. */
struct hp_process_name hp_found_name(const struct hp_found *found);

/**
 * Add the segments of one run whose programs started as root and became other users, if HOTPATH_DIR is set and does not have the
 * register of the run: else hp_find_segments has found them. Finds nothing unless we are root.
 */
int hp_find_dropped(struct hp_found_list *list, const char *run);

void hp_found_list_free(struct hp_found_list *list);

/** Whether what the user named is a process, by its number. */
bool hp_is_process_id(const char *name);

#endif
