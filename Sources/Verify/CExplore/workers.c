/// Workers: threads that do jobs together.
///
/// Invariant: `running` is the number of workers that use the search, and memory of the search is
/// moved only while it is 0. A worker in a callback rests and does not count. While `pausing` is
/// set, workers that want to use the search wait.

#include "parts.h"

enum { STACK = 2 << 20 };  // bytes, of a thread

void explore_stir(explore_worker *worker) {
  explore *search = worker->search;
  if (search->worker_count == 1) return;
  explore_world *world = &search->world;
  pthread_mutex_lock(&world->gate);
  while (atomic_load(&world->pausing)) pthread_cond_wait(&world->stir, &world->gate);
  world->running++;
  pthread_mutex_unlock(&world->gate);
}

void explore_rest(explore_worker *worker) {
  explore *search = worker->search;
  if (search->worker_count == 1) return;
  explore_world *world = &search->world;
  pthread_mutex_lock(&world->gate);
  if (--world->running == 0) pthread_cond_broadcast(&world->settled);
  pthread_mutex_unlock(&world->gate);
}

void explore_hold(explore *search) {
  if (search->worker_count == 1) return;
  explore_world *world = &search->world;
  pthread_mutex_lock(&world->gate);
  atomic_store(&world->pausing, true);
  while (world->running > 0) pthread_cond_wait(&world->settled, &world->gate);
  pthread_mutex_unlock(&world->gate);
}

void explore_release(explore *search) {
  if (search->worker_count == 1) return;
  explore_world *world = &search->world;
  pthread_mutex_lock(&world->gate);
  atomic_store(&world->pausing, false);
  pthread_cond_broadcast(&world->stir);
  pthread_mutex_unlock(&world->gate);
}

static void work(explore_worker *worker, explore_job *job) {
  explore_stir(worker);
  job(worker);
  explore_rest(worker);
}

static void *live(void *given) {
  explore_worker *worker = given;
  explore_world *world = &worker->search->world;
  uint64_t done = 0;
  pthread_mutex_lock(&world->gate);
  for (;;) {
    while (world->jobs == done && !world->is_over) pthread_cond_wait(&world->stir, &world->gate);
    if (world->is_over) break;
    done = world->jobs;
    explore_job *job = world->job;
    pthread_mutex_unlock(&world->gate);
    work(worker, job);
    pthread_mutex_lock(&world->gate);
    if (--world->at_work == 0) pthread_cond_broadcast(&world->settled);
  }
  pthread_mutex_unlock(&world->gate);
  return NULL;
}

void explore_together(explore *search, explore_job *job, uint32_t parts) {
  explore_world *world = &search->world;
  bool is_alone = world->started == 0 || parts <= 1;
  if (!is_alone) {
    pthread_mutex_lock(&world->gate);
    world->job = job;
    world->jobs++;
    world->at_work = world->started;
    pthread_cond_broadcast(&world->stir);
    pthread_mutex_unlock(&world->gate);
  }
  work(&search->workers[0], job);
  if (is_alone) return;
  pthread_mutex_lock(&world->gate);
  while (world->at_work > 0) pthread_cond_wait(&world->settled, &world->gate);
  pthread_mutex_unlock(&world->gate);
}

// If the system starts fewer threads, those do the work. Callbacks run flows on these threads, for
// which the default stack of some systems is too small.
void explore_start_workers(explore *search) {
  explore_world *world = &search->world;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, STACK);
  world->is_over = false;
  world->jobs = 0;
  for (uint32_t i = 1; i < search->worker_count; i++) {
    explore_worker *worker = &search->workers[i];
    if (pthread_create(&worker->thread, &attributes, live, worker) != 0) break;
    world->started++;
  }
  pthread_attr_destroy(&attributes);
}

void explore_end_workers(explore *search) {
  explore_world *world = &search->world;
  pthread_mutex_lock(&world->gate);
  world->is_over = true;
  pthread_cond_broadcast(&world->stir);
  pthread_mutex_unlock(&world->gate);
  for (uint32_t i = 1; i <= world->started; i++) pthread_join(search->workers[i].thread, NULL);
  world->started = 0;
}
