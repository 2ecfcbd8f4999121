// What does the network give? All ranks send to all others at once, messages of the given size, and nothing is
// computed.
//
//   all_to_all [--repeats N] [--chunks N] [--json] BYTES ...
//
// BYTES: from each rank to each other one. `messages`: nonblocking sends and receives, in the order of a plan's
// exchange, `--chunks` of them for each pair one after the other, all at once. `paced`: the same with at most two sends
// of a rank under way, and `one by one`. `in pieces`: messages as short as `mpi_p2p` cuts them where that pays (Open
// MPI over TCP), 16 under way. `collective`: MPI_Alltoall. MB/s: what leaves (or reaches) one host for others in the
// time of the slowest rank, median of the repeats; where all ranks are on one host, what leaves a rank. With --json a
// line of JSON for each.
#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "support/comm/backoff.hpp"
#include "transport/mpi/mpi_eager.hpp"
#include "transport/ring.hpp"

namespace {

struct Arguments {
  int repeats = 7, chunks = 1;
  bool json = false;
  std::vector<std::int64_t> sizes{};
};

struct Group {
  int rank = 0, ranks = 1, here = 1;  ///< `here`: on the host of this rank
};

[[noreturn]] void usage(std::string_view wrong) {
  fmt::print(stderr, "all_to_all: {}; usage: all_to_all [--repeats N] [--chunks N] [--json] BYTES ...\n", wrong);
  MPI_Finalize();
  std::exit(2);
}

std::int64_t number(std::string_view text) {
  std::int64_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc{} || end != text.data() + text.size() || n < 1 || n > (1 << 30))
    usage(fmt::format("a number from 1 to 2^30 is wanted, got {}", text));
  return n;
}

Arguments parse(int argc, char** argv) {
  Arguments a;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    const auto value = [&] { return static_cast<int>(number(i + 1 < argc ? argv[++i] : "")); };
    if (word == "--json")
      a.json = true;
    else if (word == "--repeats")
      a.repeats = value();
    else if (word == "--chunks")
      a.chunks = value();
    else
      a.sizes.push_back(number(word));
  }
  if (a.sizes.empty()) usage("how large are the messages?");
  return a;
}

Group find_group() {
  Group g;
  MPI_Comm_rank(MPI_COMM_WORLD, &g.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &g.ranks);
  MPI_Comm host = MPI_COMM_NULL;
  MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, g.rank, MPI_INFO_NULL, &host);
  MPI_Comm_size(host, &g.here);
  MPI_Comm_free(&host);
  return g;
}

/// Politely: hosts may share cores here. `least`: until no more than that many are under way.
void finish(std::vector<MPI_Request>& requests, std::size_t least = 0) {
  shardfft::Backoff backoff(/*sleeps=*/false);
  std::vector<int> done(requests.size());
  for (std::erase(requests, MPI_REQUEST_NULL); requests.size() > least; backoff.pause()) {
    int n = 0;
    MPI_Testsome(static_cast<int>(requests.size()), requests.data(), &n, done.data(), MPI_STATUSES_IGNORE);
    std::erase(requests, MPI_REQUEST_NULL);
  }
}

void exchange_messages(const Group& g, std::int64_t bytes, int chunks, std::size_t in_flight, std::vector<char>& from,
                       std::vector<char>& to) {
  std::vector<MPI_Request> requests, sends;
  const auto at = [&](int peer, int chunk) { return static_cast<std::size_t>(peer * bytes + chunk * bytes / chunks); };
  const auto length = [&](int chunk) {
    return static_cast<int>((chunk + 1) * bytes / chunks - chunk * bytes / chunks);
  };
  for (int chunk = 0; chunk < chunks; ++chunk)
    for (int step = 1; step < g.ranks; ++step) {
      const int peer = shardfft::sender_of_step(g.rank, step, g.ranks);
      MPI_Irecv(to.data() + at(peer, chunk), length(chunk), MPI_BYTE, peer, chunk, MPI_COMM_WORLD,
                &requests.emplace_back());
    }
  for (int chunk = 0; chunk < chunks; ++chunk)
    for (int step = 1; step < g.ranks; ++step) {
      const int peer = shardfft::receiver_of_step(g.rank, step, g.ranks);
      finish(sends, in_flight - 1);
      MPI_Isend(from.data() + at(peer, chunk), length(chunk), MPI_BYTE, peer, chunk, MPI_COMM_WORLD,
                &sends.emplace_back());
    }
  finish(sends);
  finish(requests);
}

void exchange_collectively(std::int64_t bytes, std::vector<char>& from, std::vector<char>& to) {
  std::vector<MPI_Request> request(1);
  MPI_Ialltoall(from.data(), static_cast<int>(bytes), MPI_BYTE, to.data(), static_cast<int>(bytes), MPI_BYTE,
                MPI_COMM_WORLD, request.data());
  finish(request);
}

/// Step by step: the next one begins when what was sent is away and what was to come has come.
void exchange_in_steps(const Group& g, std::int64_t bytes, int chunks, std::vector<char>& from, std::vector<char>& to) {
  std::vector<MPI_Request> both;
  const auto at = [&](int peer, int chunk) { return static_cast<std::size_t>(peer * bytes + chunk * bytes / chunks); };
  const auto length = [&](int chunk) {
    return static_cast<int>((chunk + 1) * bytes / chunks - chunk * bytes / chunks);
  };
  for (int chunk = 0; chunk < chunks; ++chunk)
    for (int step = 1; step < g.ranks; ++step) {
      const int next = shardfft::receiver_of_step(g.rank, step, g.ranks),
                source = shardfft::sender_of_step(g.rank, step, g.ranks);
      MPI_Irecv(to.data() + at(source, chunk), length(chunk), MPI_BYTE, source, chunk, MPI_COMM_WORLD,
                &both.emplace_back());
      MPI_Isend(from.data() + at(next, chunk), length(chunk), MPI_BYTE, next, chunk, MPI_COMM_WORLD,
                &both.emplace_back());
      finish(both);
    }
}

double median_seconds(int repeats, const std::function<void()>& exchange) {
  std::vector<double> times;
  for (int i = -1; i < repeats; ++i) {  // the first one makes connections
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    exchange();
    double seconds = MPI_Wtime() - start;
    MPI_Allreduce(MPI_IN_PLACE, &seconds, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (i >= 0) times.push_back(seconds);
  }
  std::nth_element(times.begin(), times.begin() + repeats / 2, times.end());
  return times[static_cast<std::size_t>(repeats / 2)];
}

void report(const Arguments& a, const Group& g, const char* way, std::int64_t bytes, double seconds) {
  if (g.rank != 0) return;
  const bool one_host = g.here == g.ranks;
  const double leaves = static_cast<double>(bytes) * (one_host ? g.ranks - 1 : g.here * (g.ranks - g.here));
  const double rate = seconds > 0 ? leaves / seconds * 1e-6 : 0;
  if (a.json)
    fmt::print(
        "{{\"way\": \"{}\", \"message_bytes\": {}, \"chunks\": {}, \"seconds\": {:.6f}, \"host_bytes\": {:.0f}, "
        "\"mb_per_s\": {:.2f}}}\n",
        way, bytes, a.chunks, seconds, leaves, rate);
  else
    fmt::print("{:>12} bytes  {:<12} {:>10.3f} ms  {:>8.1f} MB/s a {} and direction\n", bytes, way, seconds * 1e3, rate,
               one_host ? "rank" : "host");
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  const Arguments a = parse(argc, argv);
  const Group g = find_group();
  for (const std::int64_t bytes : a.sizes) {
    std::vector<char> from(static_cast<std::size_t>(bytes * g.ranks), 1), to(from.size(), 0);
    const std::pair<const char*, std::size_t> ways[] = {
        {"messages", static_cast<std::size_t>(a.chunks * g.ranks)}, {"paced", 2}, {"one by one", 1}};
    for (const auto& [way, in_flight] : ways)
      report(a, g, way, bytes,
             median_seconds(a.repeats, [&, n = in_flight] { exchange_messages(g, bytes, a.chunks, n, from, to); }));
    if (const std::int64_t piece = shardfft::tcp_eager_bytes(); piece > 0 && bytes / a.chunks > piece)
      report(a, g, "in pieces", bytes, median_seconds(a.repeats, [&] {
               exchange_messages(g, bytes, static_cast<int>((bytes + piece - 1) / piece), 16, from, to);
             }));
    report(a, g, "in steps", bytes,
           median_seconds(a.repeats, [&] { exchange_in_steps(g, bytes, a.chunks, from, to); }));
    report(a, g, "collective", bytes, median_seconds(a.repeats, [&] { exchange_collectively(bytes, from, to); }));
  }
  MPI_Finalize();
}
