// HTTP load: keep-alive connections that post bodies from a file, in turn, and look at every answer.
//
//   calls PORT CONNECTIONS HEAD BODIES requests N       each connection calls again as soon as it is answered
//   calls PORT CONNECTIONS HEAD BODIES seconds S        the same, for a time
//   calls PORT CONNECTIONS HEAD BODIES rate R S         R calls a second for S seconds, due at fixed times whatever the
//                                                       answers do; latency counts from when a call was due
//
// HEAD is a file with the request line and headers, without content-length and the blank line. Prints one line of JSON.
#include "wire.h"
#include <sys/timerfd.h>

enum { ANSWER_BYTES = 8192, TIMER = 1 << 30 };

struct connection { int fd; int busy; uint64_t due; char answer[ANSWER_BYTES]; size_t length; };
struct request { char *bytes; size_t length; };

static struct connection *connections;
static struct request *requests;
static long request_count, connection_count, sent, answered, failed, limit;
static long least_task = -1, most_task = -1;
static uint64_t began, ends, interval;
static uint32_t *latencies; // microseconds
static size_t latency_room;

static char *read_whole(const char *name) {
  FILE *file = fopen(name, "r");
  if (!file) die(name);
  char *text = NULL;
  size_t length = 0;
  ssize_t got = getdelim(&text, &length, 0, file);
  if (got < 0) die(name);
  fclose(file);
  return text;
}

static void prepare(const char *head, char *bodies) {
  for (char *body = strtok(bodies, "\n"); body; body = strtok(NULL, "\n")) {
    requests = realloc(requests, (size_t)(request_count + 1) * sizeof *requests);
    size_t room = strlen(head) + strlen(body) + 64;
    struct request *r = &requests[request_count++];
    r->bytes = malloc(room);
    r->length = (size_t)snprintf(r->bytes, room, "%scontent-length: %zu\r\n\r\n%s", head, strlen(body), body);
  }
}

static void call(struct connection *c, uint64_t due) {
  struct request *r = &requests[sent++ % request_count];
  if (write(c->fd, r->bytes, r->length) != (ssize_t)r->length) die("write");
  c->busy = 1;
  c->due = due;
  c->length = 0;
}

static void note(struct connection *c, uint64_t now) {
  if ((size_t)answered == latency_room) {
    latency_room = latency_room ? latency_room * 2 : 65536;
    latencies = realloc(latencies, latency_room * sizeof *latencies);
  }
  uint64_t microseconds = (now - c->due) / 1000;
  latencies[answered++] = microseconds > UINT32_MAX ? UINT32_MAX : (uint32_t)microseconds;
}

// Whether the answer is whole; the connection is free again then.
static int read_answer(struct connection *c) {
  ssize_t got = read(c->fd, c->answer + c->length, ANSWER_BYTES - 1 - c->length);
  if (got < 0 && errno == EAGAIN) return 0;
  if (got <= 0) {
    fprintf(stderr, "the server closed a connection: %s\n", got < 0 ? strerror(errno) : "end");
    exit(1);
  }
  c->length += (size_t)got;
  c->answer[c->length] = 0;
  char *body = strstr(c->answer, "\r\n\r\n");
  if (!body) return 0;
  char *said = strcasestr(c->answer, "content-length:");
  if (!said || said > body) {
    fprintf(stderr, "an answer without content-length\n");
    exit(1);
  }
  body += 4;
  if ((size_t)(c->answer + c->length - body) < (size_t)atol(said + 15)) return 0;
  note(c, now_ns());
  c->busy = 0;
  char *task = strstr(body, "\"task_id\":");
  if (task) {
    long id = atol(task + 10);
    if (least_task < 0 || id < least_task) least_task = id;
    if (id > most_task) most_task = id;
  }
  if (!strstr(body, "\"code\":200") && failed++ == 0) fprintf(stderr, "first failure: %.300s\n", body);
  return 1;
}

static int by_size(const void *a, const void *b) {
  uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

static double quantile(double q) {
  if (answered == 0) return 0;
  size_t place = (size_t)(q * (double)(answered - 1) + 0.5);
  return (double)latencies[place] / 1000.0;
}

// What is due is sent as long as a connection is free; the rest waits with its clock running. Connections take turns, so
// that none stays unused until the server gives it up.
static void send_due(void) {
  static long turn;
  uint64_t now = now_ns();
  for (long i = 0; i < connection_count && sent < limit; i++) {
    uint64_t due = began + (uint64_t)sent * interval;
    if (due > now) return;
    struct connection *c = &connections[turn];
    turn = (turn + 1) % connection_count;
    if (!c->busy) call(c, due);
  }
}

int main(int argc, char **argv) {
  if (argc < 7) {
    fprintf(stderr, "usage: calls PORT CONNECTIONS HEAD BODIES requests N | seconds S | rate R S\n");
    return 2;
  }
  int port = atoi(argv[1]);
  connection_count = atol(argv[2]);
  prepare(read_whole(argv[3]), read_whole(argv[4]));
  connections = calloc((size_t)connection_count, sizeof *connections);
  int epoll = epoll_create1(0);
  for (long i = 0; i < connection_count; i++) {
    connections[i].fd = open_socket(port);
    watch(epoll, connections[i].fd, (uint64_t)i);
  }
  int timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
  int open_loop = strcmp(argv[5], "rate") == 0;
  began = now_ns();
  double cpu_began = cpu_seconds();
  limit = strcmp(argv[5], "requests") == 0 ? atol(argv[6]) : INT64_MAX;
  ends = UINT64_MAX;
  if (strcmp(argv[5], "seconds") == 0) ends = began + (uint64_t)(atof(argv[6]) * 1e9);
  if (open_loop) {
    double rate = atof(argv[6]);
    interval = (uint64_t)(1e9 / rate);
    limit = (long)(rate * atof(argv[7]));
    struct itimerspec every = {.it_interval.tv_nsec = (long)interval, .it_value.tv_nsec = (long)interval};
    timerfd_settime(timer, 0, &every, NULL);
    watch(epoll, timer, TIMER);
    send_due();
  } else {
    for (long i = 0; i < connection_count && sent < limit; i++) call(&connections[i], now_ns());
  }
  struct epoll_event events[256];
  while (answered < limit && (now_ns() < ends || answered < sent)) {
    int ready = epoll_wait(epoll, events, 256, 1000);
    for (int i = 0; i < ready; i++) {
      if (events[i].data.u64 == TIMER) {
        uint64_t ticks;
        if (read(timer, &ticks, sizeof ticks) < 0 && errno != EAGAIN) die("timer");
        continue;
      }
      struct connection *c = &connections[events[i].data.u64];
      if (read_answer(c) && !open_loop && sent < limit && now_ns() < ends) call(c, now_ns());
    }
    if (open_loop) send_due();
  }
  double seconds = (double)(now_ns() - began) / 1e9;
  qsort(latencies, (size_t)answered, sizeof *latencies, by_size);
  printf("{\"answered\":%ld,\"failed\":%ld,\"began\":%llu,\"seconds\":%.6f,\"cpu\":%.6f,\"p50\":%.3f,\"p99\":%.3f,"
         "\"p999\":%.3f,\"max\":%.3f,\"leastTask\":%ld,\"mostTask\":%ld}\n",
         answered, failed, (unsigned long long)began, seconds, cpu_seconds() - cpu_began, quantile(0.5), quantile(0.99),
         quantile(0.999), quantile(1), least_task, most_task);
  return 0;
}
