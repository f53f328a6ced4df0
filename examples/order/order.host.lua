-- Workers perform what the order calls, such as worker.py.

provide {
  charge = worker { queue = "bank", lease = "30s", args = { { "cents", integer { min = 1 } } }, result = string },
  mail   = worker { queue = "mail", args = { "text" } },
}
