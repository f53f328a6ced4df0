-- A letter is dead once its lease has ended; a mail is leased for a minute.
provide {
  mail = worker { queue = "mail", lease = "1m", timeout = "1h", args = { "text" }, result = { id = string } },
  letter = worker {
    queue = "post", lease = "1s", attempts = 1,
    args = { text = string, pin = string { secret = true }, copies = list_of(integer) }, result = { id = string },
  },
}
