// What a machine that flips to and fro takes in Qt SCXML, with a guard and a reducer: the least
// nanoseconds for one event, of several rounds. Each round submits its events and lets the event loop
// run until they are through.
#include <QCoreApplication>
#include <QScxmlStateMachine>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <limits>
#include <memory>

int main(int argc, char **argv) {
  QCoreApplication app(argc, argv);
  const std::unique_ptr<QScxmlStateMachine> machine(QScxmlStateMachine::fromFile(argv[1]));
  if (!machine || !machine->parseErrors().isEmpty() || !machine->init()) return 70;
  machine->start();
  while (!machine->isRunning() || !machine->isActive("left")) app.processEvents();

  // 50,000 events altogether, the number that the machine asks for to tell that it has counted them.
  const int count = 250, rounds = 200;
  double best = std::numeric_limits<double>::infinity();
  for (int round = 0; round < rounds; round++) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < count; i++) machine->submitEvent("flip");
    app.processEvents();
    const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
    best = std::min(best, time.count() / count);
  }
  bool counted = false;
  QObject::connect(machine.get(), &QScxmlStateMachine::finished, [&] { counted = true; });
  machine->submitEvent("tell");
  for (int turn = 0; turn < 100 && !counted; turn++) app.processEvents();
  if (!counted) {
    std::fprintf(stderr, "the machine has not counted its events\n");
    return 70;
  }
  std::printf("qt_scxml %f\nversion Qt SCXML %s\n", best, qVersion());
}
