/* SPDX-License-Identifier: MIT */
/*
 * Functions that gcc splits when it optimises: it inlines their beginning, and calls or jumps to the rest, name.part.0. The
 * beginning says that the function is entered, the rest that it is left.
 *
 * All of them call even and odd, as does what calls them, before and after: so who called whom is wrong in many places
 * when one is taken for open that is not.
 */
#include <stdio.h>
#include <stdlib.h>

#define ALONE __attribute__((noinline))

/* Enough code that it is not inlined. */
#define MUCH(n)                                                                                    \
	do {                                                                                       \
		even((n));                                                                         \
		odd((n));                                                                          \
		even((n) + 1);                                                                     \
		odd((n) + 1);                                                                      \
		even((n) + 2);                                                                     \
		odd((n) + 2);                                                                      \
		even((n) + 3);                                                                     \
		odd((n) + 3);                                                                      \
		even((n) + 4);                                                                     \
		odd((n) + 4);                                                                      \
		even((n) + 5);                                                                     \
		odd((n) + 5);                                                                      \
		even((n) + 6);                                                                     \
		odd((n) + 6);                                                                      \
		even((n) + 7);                                                                     \
		odd((n) + 7);                                                                      \
	} while (0)

struct node {
	int key;
	struct node *next;
	int seen[4];
};

static struct node *table[16];
static volatile int sum;

ALONE int even(int n)
{
	return sum += n & 1;
}

ALONE int odd(int n)
{
	return sum += n & 2;
}

static inline void find(struct node *n, int key, int *depth)
{
	if (!n)
		return;
	for (*depth = 0; n; n = n->next, ++*depth) {
		n->seen[*depth & 3] += even(*depth);
		if (n->key == key) {
			odd(key);
			n->seen[0]++;
		}
		odd(*depth);
		for (int i = 0; i < 4; i++)
			n->seen[i] += odd(i) + even(n->seen[i]);
	}
	MUCH(key);
}

static inline void weigh(struct node *n, int a, int b, int c, int d, int *weight)
{
	if (!n)
		return;
	do {
		*weight += even(a);
		if (*weight & 1)
			odd(b);
		for (int i = 0; i < 4; i++)
			*weight += odd(n->seen[i] + c) & even(d);
		n = n->next;
	} while (n);
	MUCH(*weight);
}

ALONE int look_once(int key)
{
	int at = -1;

	find(table[key & 15], key, &at);
	return even(at);
}

ALONE int look_twice(int key)
{
	int at = -1;

	odd(key);
	find(table[key & 15], key, &at);
	even(at);
	find(table[(key + 1) & 15], key, &at);
	return odd(at);
}

ALONE int look_around(int key)
{
	int at = -1, all = 0;

	for (int i = 0; i < 3; i++) {
		find(table[(key + i) & 15], key + i, &at);
		all += at + even(i);
	}
	return all;
}

ALONE int weigh_one(int key)
{
	int weight = 0;

	weigh(table[key & 15], key, 1, 2, 3, &weight);
	return even(weight);
}

ALONE int weigh_two(int key)
{
	int weight = 0;

	weigh(table[key & 15], key, 1, 2, 3, &weight);
	odd(key);
	weigh(table[(key + 5) & 15], 4, 3, 2, key, &weight);
	return even(weight);
}

ALONE void insert(int key)
{
	struct node *n = calloc(1, sizeof(*n));

	if (!n)
		abort();
	n->key = key;
	n->next = table[key & 15];
	table[key & 15] = n;
	even(key);
}

/* Called by their addresses, they are whole, but jump to their rest all the same. */
static void (*volatile finder)(struct node *, int, int *) = find;
static void (*volatile weigher)(struct node *, int, int, int, int, int *) = weigh;

int main(void)
{
	int some = 0;

	for (int i = 0; i < 20; i++)
		insert(i * 3);
	for (int i = 0; i < 200; i++) {
		look_once(i);
		look_twice(i);
		look_around(i);
		weigh_one(i);
		weigh_two(i);
		finder(table[i & 15], i, &some);
		weigher(table[i & 15], i, 2, 3, 4, &some);
	}
	printf("%d\n", sum);
	return 0;
}
