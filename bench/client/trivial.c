// The least a server can do, to show that the measuring clients are not what is measured.
//
//   trivial mqtt    answers CONNECT and SUBSCRIBE without reading them; a PUBLISH goes to everybody as it came
//   trivial http    answers every read with the same 200
//
// Prints its port.
#include "wire.h"

enum { MOST = 65536, LISTENER = 1 << 30, READ_BYTES = 1 << 18 };

static int sockets[MOST], stages[MOST], count;
static uint8_t input[READ_BYTES];

// A socket that takes no more is waited for: everything else here is idle anyway.
static void put(int fd, const void *bytes, size_t length) {
  const uint8_t *at = bytes;
  while (length > 0) {
    ssize_t done = write(fd, at, length);
    if (done < 0 && errno != EAGAIN) return;
    if (done > 0) {
      at += done;
      length -= (size_t)done;
    }
  }
}

static void answer_http(int fd) {
  static const char answer[] = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 48\r\n\r\n"
                               "{\"code\":200,\"data\":{\"task_id\":1},\"message\":null}";
  put(fd, answer, sizeof answer - 1);
}

static void answer_mqtt(int fd, int whose, size_t length) {
  static const uint8_t connack[] = {0x20, 2, 0, 0}, suback[] = {0x90, 3, 0, 1, 1};
  uint8_t type = input[0] >> 4;
  if (type == 1) put(fd, connack, sizeof connack);
  if (type == 8) {
    put(fd, suback, sizeof suback);
    stages[whose] = 1;
  }
  if (type != 3) return;
  for (size_t at = 0; at < length;) {
    size_t size = 0, head = 1, shift = 0;
    do size |= (size_t)(input[at + head] & 127) << shift, shift += 7;
    while (input[at + head++] >= 128);
    for (int i = 0; i < count; i++) if (stages[i]) put(sockets[i], input + at, head + size);
    uint8_t *id = input + at + head + 2 + input[at + head + 1];
    uint8_t puback[] = {0x40, 2, id[0], id[1]};
    put(fd, puback, sizeof puback);
    at += head + size;
  }
}

int main(int argc, char **argv) {
  int http = argc > 1 && strcmp(argv[1], "http") == 0;
  int listener = socket(AF_INET, SOCK_STREAM, 0);
  struct sockaddr_in address = loopback(0);
  socklen_t size = sizeof address;
  if (bind(listener, (struct sockaddr *)&address, size) != 0 || listen(listener, 4096) != 0) die("listen");
  getsockname(listener, (struct sockaddr *)&address, &size);
  printf("%d\n", ntohs(address.sin_port));
  fflush(stdout);
  int epoll = epoll_create1(0);
  watch(epoll, listener, LISTENER);
  struct epoll_event events[1024];
  for (;;) {
    int ready = epoll_wait(epoll, events, 1024, -1);
    for (int i = 0; i < ready; i++) {
      if (events[i].data.u64 == LISTENER) {
        int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK), on = 1;
        if (fd < 0) continue;
        if (count == MOST) die("too many connections");
        setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        sockets[count] = fd;
        watch(epoll, fd, (uint64_t)count++);
        continue;
      }
      int whose = (int)events[i].data.u64, fd = sockets[whose];
      ssize_t got = read(fd, input, sizeof input);
      if (got < 0 && errno == EAGAIN) continue;
      if (got <= 0) {
        stages[whose] = 0;
        close(fd);
      } else if (http) {
        answer_http(fd);
      } else {
        answer_mqtt(fd, whose, (size_t)got);
      }
    }
  }
}
