#include "forking.h"

#include <errno.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

int forking_copy(void) { return (int)fork(); }

int forking_wait(int *ended_well) {
  int status = 0;
  pid_t copy;
  do copy = wait(&status);
  while (copy < 0 && errno == EINTR);
  *ended_well = copy > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
  return (int)copy;
}
