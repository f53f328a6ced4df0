// Runs SCXML documents in Qt SCXML: each line of the input names a document and events, with tabs between.
// For the beginning and for each event a line says what was logged and what is active then, and a dot ends
// the document: LOG;LOG|STATE STATE. A document that cannot be run is a line that begins with an exclamation mark;
// at one that goes on and on for half a second of the processor the program exits with 70.
#include <QCoreApplication>
#include <QScxmlStateMachine>
#include <QStringList>
#include <cstdio>
#include <iostream>
#include <memory>
#include <csignal>
#include <string>
#include <sys/time.h>
#include <unistd.h>

static void settle(QCoreApplication &app, int turns) {
  for (int turn = 0; turn < turns; turn++) {
    app.sendPostedEvents();
    app.processEvents();
  }
}

static void giveUp(int) {
  _exit(70);
}

static void allowHalfASecond() {
  const itimerval half = {{0, 0}, {0, 500000}};
  setitimer(ITIMER_PROF, &half, nullptr);
}

int main(int argc, char **argv) {
  qputenv("QT_LOGGING_RULES", "*=false");
  QCoreApplication app(argc, argv);
  std::signal(SIGPROF, giveUp);
  std::string line;
  while (std::getline(std::cin, line)) {
    allowHalfASecond();
    const QStringList words = QString::fromStdString(line).split('\t');
    const std::unique_ptr<QScxmlStateMachine> machine(QScxmlStateMachine::fromFile(words[0]));
    if (!machine->parseErrors().isEmpty()) {
      const QString why = machine->parseErrors().first().toString().simplified();
      std::printf("!%s\n", why.toUtf8().constData());
      std::fflush(stdout);
      continue;
    }
    QStringList told;
    bool hasEnded = false;
    QObject::connect(machine.get(), &QScxmlStateMachine::log, [&](const QString &label, const QString &text) {
      told << (text.isEmpty() ? label : label + ": " + text);
    });
    QObject::connect(machine.get(), &QScxmlStateMachine::finished, [&] { hasEnded = true; });
    const auto tell = [&] {
      QStringList active = machine->activeStateNames(false);
      active.sort();
      const QString all = told.join(';') + "|" + (hasEnded ? QString("ended") : active.join(' '));
      std::printf("%s\n", all.toUtf8().constData());
      std::fflush(stdout);
      told.clear();
    };
    machine->init();
    machine->start();
    settle(app, 60);
    tell();
    for (int number = 1; number < words.size(); number++) {
      if (!hasEnded) machine->submitEvent(words[number]);
      settle(app, 60);
      tell();
    }
    std::printf(".\n");
    std::fflush(stdout);
  }
}
