#define _GNU_SOURCE
#include "epoll.h"

#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>

int epoll_make(void) { return epoll_create1(0); }

int epoll_await(int set, int descriptor, uint32_t number) {
  struct epoll_event event = {.events = EPOLLIN, .data.u32 = number};
  return epoll_ctl(set, EPOLL_CTL_ADD, descriptor, &event);
}

int epoll_ready(int set, uint32_t *numbers, int most, int milliseconds) {
  struct epoll_event events[512];
  int count = epoll_wait(set, events, most < 512 ? most : 512, milliseconds);
  for (int index = 0; index < count; index++) numbers[index] = events[index].data.u32;
  return count;
}

int epoll_hear(int descriptor, const char *word) {
  char buffer[16384];
  ssize_t count = recv(descriptor, buffer, sizeof buffer, MSG_DONTWAIT);
  if (count <= 0) return -1;
  return memmem(buffer, (size_t)count, word, strlen(word)) != NULL;
}
