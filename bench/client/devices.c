// Thousands of MQTT 3.1.1 devices in one process: they connect, subscribe, and acknowledge every push.
//
//   devices PORT TOPIC CREDENTIALS     CREDENTIALS: a file with a line "username password" a device, or - for none
//
// Told by lines on stdin, each answered by a line of JSON:
//   connect N            so many devices are connected and subscribed
//   expect N             answered when N more pushes have come and been acknowledged
//   publish TOPIC N SIZE sends N messages at once from one more connection (for brokers); answered when they are taken
#include "wire.h"

enum { CONNECTING, SUBSCRIBING, SUBSCRIBED };
enum { CONNACK = 2, PUBLISH = 3, PUBACK = 4, SUBACK = 9 };
enum { AT_ONCE = 200, READ_BYTES = 1 << 18, STDIN = -1, PUBLISHER = -2 };

// What a read ended in the middle of is kept; hardly any connection ever has something to keep.
struct device { int fd; int stage; uint8_t *rest; size_t rest_length; };

static struct device *devices, publisher;
static char (*credentials)[2][128];
static long wanted, opened, subscribed, known;
static long expected, received, repeated, unconfirmed;
static int epoll, port;
static const char *topic;
static uint64_t began;
static double cpu_began;
static uint8_t input[READ_BYTES];

static size_t put_text(uint8_t *at, const char *text) {
  size_t length = strlen(text);
  at[0] = (uint8_t)(length >> 8);
  at[1] = (uint8_t)length;
  memcpy(at + 2, text, length);
  return length + 2;
}

static size_t put_length(uint8_t *at, size_t length) {
  size_t used = 0;
  do {
    at[used] = (uint8_t)(length % 128 + (length >= 128 ? 128 : 0));
    length /= 128;
    used++;
  } while (length > 0);
  return used;
}

static void put_packet(int fd, uint8_t first, const uint8_t *body, size_t length) {
  uint8_t head[5] = {first};
  size_t used = 1 + put_length(head + 1, length);
  uint8_t packet[1024];
  memcpy(packet, head, used);
  memcpy(packet + used, body, length);
  if (write(fd, packet, used + length) != (ssize_t)(used + length)) die("write");
}

static void greet(struct device *d, long index) {
  uint8_t body[512];
  size_t n = put_text(body, "MQTT");
  char id[32];
  snprintf(id, sizeof id, "bench-%ld", index);
  body[n++] = 4;
  body[n++] = known > 0 && index >= 0 ? 0xc2 : 0x02; // clean session; user name and password where there are any
  body[n++] = 0;
  body[n++] = 0; // no keep-alive: idle devices are idle
  n += put_text(body + n, id);
  if (known > 0 && index >= 0) {
    n += put_text(body + n, credentials[index][0]);
    n += put_text(body + n, credentials[index][1]);
  }
  put_packet(d->fd, 0x10, body, n);
}

static void subscribe(struct device *d) {
  uint8_t body[256] = {0, 1};
  size_t n = 2 + put_text(body + 2, topic);
  body[n++] = 1;
  put_packet(d->fd, 0x82, body, n);
}

static void open_more(void) {
  while (opened < wanted && opened - subscribed < AT_ONCE) {
    struct device *d = &devices[opened];
    d->fd = open_socket(port);
    d->stage = CONNECTING;
    watch(epoll, d->fd, (uint64_t)opened);
    greet(d, opened++);
  }
}

static void say(const char *event, long count) {
  double seconds = (double)(now_ns() - began) / 1e9;
  printf("{\"event\":\"%s\",\"count\":%ld,\"repeated\":%ld,\"seconds\":%.6f,\"cpu\":%.6f}\n",
         event, count, repeated, seconds, cpu_seconds() - cpu_began);
  fflush(stdout);
}

static void begin(void) {
  began = now_ns();
  cpu_began = cpu_seconds();
}

static void refused(const char *what) {
  fprintf(stderr, "the server refused: %s\n", what);
  exit(1);
}

// One whole packet. Returns how many bytes of acknowledgement it put at `out`.
static size_t take(struct device *d, const uint8_t *packet, size_t head, size_t length, uint8_t *out) {
  const uint8_t *body = packet + head;
  switch (packet[0] >> 4) {
  case PUBLISH: {
    received++;
    if (packet[0] & 0x08) repeated++;
    if ((packet[0] & 0x06) == 0) return 0;
    size_t id = 2 + (((size_t)body[0] << 8) | body[1]);
    if (id + 2 > length) refused("a PUBLISH too short");
    out[0] = 0x40;
    out[1] = 2;
    out[2] = body[id];
    out[3] = body[id + 1];
    return 4;
  }
  case CONNACK:
    if (body[1] != 0) refused("CONNECT");
    if (d == &publisher) {
      d->stage = SUBSCRIBED;
    } else {
      d->stage = SUBSCRIBING;
      subscribe(d);
    }
    return 0;
  case SUBACK:
    if (body[2] > 1) refused("SUBSCRIBE");
    d->stage = SUBSCRIBED;
    if (++subscribed == wanted) say("connected", subscribed);
    return 0;
  case PUBACK:
    if (--unconfirmed == 0) say("published", 0);
    return 0;
  default:
    return 0;
  }
}

static void read_device(struct device *d) {
  static uint8_t acknowledgements[READ_BYTES];
  memcpy(input, d->rest, d->rest_length);
  ssize_t got = read(d->fd, input + d->rest_length, sizeof input - d->rest_length);
  if (got < 0 && errno == EAGAIN) return;
  if (got <= 0) refused("it closed a connection");
  size_t have = d->rest_length + (size_t)got, at = 0, out = 0;
  free(d->rest);
  d->rest = NULL;
  d->rest_length = 0;
  for (;;) {
    size_t length = 0, head = 1, shift = 0;
    while (at + head < have) {
      uint8_t byte = input[at + head++];
      length |= (size_t)(byte & 127) << shift;
      shift += 7;
      if (byte < 128) goto counted;
    }
    break;
  counted:
    if (at + head + length > have) break;
    out += take(d, input + at, head, length, acknowledgements + out);
    at += head + length;
  }
  if (at < have) {
    d->rest_length = have - at;
    d->rest = malloc(d->rest_length);
    memcpy(d->rest, input + at, d->rest_length);
  }
  if (out > 0 && write(d->fd, acknowledgements, out) != (ssize_t)out) die("acknowledge");
  if (expected > 0 && received >= expected) {
    long all = received;
    expected = received = 0;
    say("received", all);
  }
}

// Blocking: nothing else is to be done until the broker has taken them all.
static void publish(const char *to, long count, long size) {
  if (publisher.fd == 0) {
    publisher.fd = open_socket(port);
    watch(epoll, publisher.fd, (uint64_t)(int64_t)PUBLISHER);
    greet(&publisher, -1);
    while (publisher.stage != SUBSCRIBED) read_device(&publisher);
  }
  uint8_t body[1024];
  unconfirmed = count;
  for (long i = 1; i <= count; i++) {
    size_t n = put_text(body, to);
    body[n++] = (uint8_t)(i >> 8);
    body[n++] = (uint8_t)i;
    memset(body + n, 'x', (size_t)size);
    put_packet(publisher.fd, 0x32, body, n + (size_t)size);
  }
}

static void obey(char *line) {
  char name[64];
  long count, size;
  if (sscanf(line, "connect %ld", &count) == 1) {
    if (known > 0 && count > known) refused("more devices than credentials");
    begin();
    devices = realloc(devices, (size_t)count * sizeof *devices);
    memset(devices + wanted, 0, (size_t)(count - wanted) * sizeof *devices);
    wanted = count;
    open_more();
  } else if (sscanf(line, "expect %ld", &count) == 1) {
    begin();
    received = repeated = 0;
    expected = count;
  } else if (sscanf(line, "publish %63s %ld %ld", name, &count, &size) == 3) {
    publish(name, count, size);
  } else {
    refused(line);
  }
}

static void read_commands(void) {
  static char text[4096];
  static size_t length;
  ssize_t got = read(0, text + length, sizeof text - 1 - length);
  if (got <= 0) exit(0); // whoever started us is gone or done
  length += (size_t)got;
  text[length] = 0;
  char *line = text, *end;
  while ((end = strchr(line, '\n'))) {
    *end = 0;
    obey(line);
    line = end + 1;
  }
  length = strlen(line);
  memmove(text, line, length);
}

int main(int argc, char **argv) {
  if (argc != 4) refused("usage: devices PORT TOPIC CREDENTIALS");
  port = atoi(argv[1]);
  topic = argv[2];
  if (strcmp(argv[3], "-") != 0) {
    FILE *file = fopen(argv[3], "r");
    if (!file) die(argv[3]);
    char pair[2][128];
    while (fscanf(file, "%127s %127s", pair[0], pair[1]) == 2) {
      credentials = realloc(credentials, (size_t)(known + 1) * sizeof *credentials);
      memcpy(credentials[known++], pair, sizeof pair);
    }
    fclose(file);
  }
  epoll = epoll_create1(0);
  watch(epoll, 0, (uint64_t)(int64_t)STDIN);
  struct epoll_event events[1024];
  for (;;) {
    int ready = epoll_wait(epoll, events, 1024, -1);
    for (int i = 0; i < ready; i++) {
      int64_t whose = (int64_t)events[i].data.u64;
      if (whose == STDIN) read_commands();
      else read_device(whose == PUBLISHER ? &publisher : &devices[whose]);
    }
    open_more();
  }
}
