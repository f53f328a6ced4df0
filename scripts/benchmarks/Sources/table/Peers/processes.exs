# What Erlang's processes take for the same work, called from Elixir: a counter in an Agent, and a machine that flips
# to and fro in :gen_statem, with a guard and a reducer. The least nanoseconds for one call, of several rounds,
# the first of which warm up. The caller waits for each answer, so a time has two messages in it.
#
#   elixir processes.exs
defmodule Side do
  @behaviour :gen_statem

  def callback_mode, do: :state_functions
  def init(_), do: {:ok, :left, 0}

  def left({:call, from}, :flip, count) when count >= 0,
    do: {:next_state, :right, count + 1, [{:reply, from, :ok}]}

  def left({:call, from}, :tell, count), do: {:keep_state_and_data, [{:reply, from, count}]}

  def right({:call, from}, :flip, count) when count >= 0,
    do: {:next_state, :left, count + 1, [{:reply, from, :ok}]}

  def right({:call, from}, :tell, count), do: {:keep_state_and_data, [{:reply, from, count}]}
end

defmodule Measuring do
  @count 1_000
  @rounds 200

  def calls, do: @count * @rounds

  def least(call) do
    1..@rounds
    |> Enum.map(fn _ ->
      begin = System.monotonic_time(:nanosecond)
      repeat(call, @count)
      (System.monotonic_time(:nanosecond) - begin) / @count
    end)
    |> Enum.min()
  end

  defp repeat(_, 0), do: :ok

  defp repeat(call, left) do
    call.()
    repeat(call, left - 1)
  end
end

{:ok, agent} = Agent.start_link(fn -> %{count: 0} end)

increment = fn
  %{count: count} = state when count >= 0 -> %{state | count: count + 1}
  state -> state
end

agent_time = Measuring.least(fn -> Agent.update(agent, increment) end)
true = Agent.get(agent, & &1.count) == Measuring.calls()

{:ok, side} = :gen_statem.start_link(Side, nil, [])
statem_time = Measuring.least(fn -> :gen_statem.call(side, :flip) end)
true = :gen_statem.call(side, :tell) == Measuring.calls()

IO.puts("agent #{agent_time}")
IO.puts("gen_statem #{statem_time}")
IO.puts("version Elixir #{System.version()}, Erlang/OTP #{System.otp_release()}")
