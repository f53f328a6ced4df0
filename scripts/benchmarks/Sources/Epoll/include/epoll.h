#ifndef MOONLATCH_BENCH_EPOLL_H
#define MOONLATCH_BENCH_EPOLL_H

#include <stdint.h>

/* Waiting for many connections at once, by Linux's epoll, which Swift's module of the C library has not. */

/* What waits; below 0 where there can be none. */
int epoll_make(void);
/* Has it wait for what comes at a connection, which is known by a number. */
int epoll_await(int set, int descriptor, uint32_t number);
/* Which of them have something: so many; waits for so many milliseconds at most. */
int epoll_ready(int set, uint32_t *numbers, int most, int milliseconds);
/* Takes what has come: 1 where a word is in it, 0 where not, below 0 where the connection is closed. */
int epoll_hear(int descriptor, const char *word);

#endif
